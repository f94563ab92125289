// Makes one call as a test tells it, in JSON on the command line, and prints what came of it as lines
// of JSON: {event} for each event of a stream, at last {answer} or {error}, with waits and tokens.
import { Moyeo, Refused } from "../../../clients/javascript/moyeo.js";

const told = JSON.parse(process.argv[2]);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const waits = [];
let asked = 0;
let clock = 1000;
const options = { ...told.options };
if (told.pretends) {
  // A clock that only waiting moves, and dice that always show the highest.
  Object.assign(options, { now: () => clock, random: () => 1, sleep: async (wait) => {
    waits.push(Math.round(wait));
    clock += wait;
  } });
}
if (told.tokens) {
  options.token = async () => {
    const token = told.tokens[Math.min(asked++, told.tokens.length - 1)];
    say({ asked });
    return token;
  };
}

const moyeo = new Moyeo(told.address, options);
const values = told.values ?? {};
const [group, method] = told.call.split(".");
try {
  if (told.times) {
    await Promise.all(Array.from({ length: told.times }, () => moyeo[group][method](values)));
    say({ answer: told.times, waits, asked });
  } else {
    const made = moyeo[group][method](values, told.given);
    if (told.count) {
      const seen = [];
      for await (const event of made) {
        seen.push(event);
        say({ event, resumeToken: made.resumeToken });
        if (seen.length >= told.count) break;
      }
      say({ answer: seen.length, waits, asked });
    } else {
      say({ answer: await made, waits, asked });
    }
  }
} catch (error) {
  say({ error: {
    name: error.name, message: error.message, reason: error.reason, sent: error.sent,
    ...(error instanceof Refused && {
      status: error.status, code: error.code, fields: error.fields, metadata: error.metadata,
      rejections: error.rejections }) }, waits, asked });
}
