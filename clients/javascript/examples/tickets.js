// Two people who study the same find each other. Run: node tickets.js http://127.0.0.1:8080
import { Moyeo } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const [ann, ben] = ["ann", "ben"].map((name) => `${name}-${Date.now()}`);
await moyeo.tickets.open(
  { userId: ann, here: { latitude: 37.4979, longitude: 127.0276 }, tags: ["swift", "math"] });
await moyeo.tickets.open(
  { userId: ben, here: { latitude: 37.4985, longitude: 127.0281 }, tags: ["swift"] });

const { around } = await moyeo.tickets.search({ userId: ann, limit: 100 });
const person = around.find(({ userId }) => userId === ben);
console.log(`in common: ${person.commonTags.join(", ")}`);

const { ticket } = await moyeo.tickets.get({ userId: ben });
await moyeo.tickets.propose({ userId: ann, otherId: ben });
// A long poll: it answers when the ticket has changed.
const asked = await moyeo.tickets.get(
  { userId: ben, afterVersion: ticket.version, waitSeconds: 10 });
console.log(`ben was asked by ann: ${asked.ticket.proposalsFrom.includes(ann)}`);

const met = await moyeo.tickets.accept({ userId: ben, otherId: ann });
console.log(`the ticket is ${met.ticket.state}`);
await moyeo.tickets.rate({ userId: ann, otherId: ben, stars: 5 });
const closed = await moyeo.tickets.close({ userId: ben });
console.log(`afterwards it is ${closed.ticket.state}`);

// It prints:
//   in common: swift
//   ben was asked by ann: true
//   the ticket is matched
//   afterwards it is closed
