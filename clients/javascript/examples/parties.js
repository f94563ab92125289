// A taxi that two people share. Run: node parties.js http://127.0.0.1:8080
import { Moyeo, Refused } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const origin = { name: "Seoul Station", latitude: 37.5547, longitude: 126.9707 };
const destination = { name: "Gangnam", latitude: 37.4979, longitude: 127.0276 };
const departureTime = new Date(Date.now() + 30 * 60_000);
const [mina, jun, late] = ["mina", "jun", "late"].map((name) => `${name}-${Date.now()}`);

let { party } = await moyeo.parties.create(
  { hostId: mina, origin, destination, departureTime, seats: 2 });
console.log(`the party is ${party.state}`);

const match = await moyeo.parties.match(
  { riderId: jun, origin, destination, departureTime, explain: true });
console.log(`found: ${match.candidates.some((one) => one.party.id === party.id)}`);
const preview = await moyeo.parties.previewJoin({ id: party.id, riderId: jun });
const mine = preview.now.find((share) => share.riderId === jun);
console.log(`sharing is cheaper: ${mine.share < mine.soloFare}`);

const events = moyeo.parties.watch({ id: party.id, afterVersion: party.version });
// Sent again after a cut connection it still has one effect: the client makes the key.
({ party } = await moyeo.parties.join({ id: party.id, riderId: jun, maxShare: mine.share }));
for await (const event of events) {
  console.log(`the party is ${party.state}; the watch says ${event.kind}`);
  break;
}

try {
  await moyeo.parties.join({ id: party.id, riderId: late });
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log(`too late: ${error.reason}`);
}
await moyeo.parties.leave({ id: party.id, riderId: jun });
const ended = await moyeo.parties.cancel({ id: party.id, riderId: mina });
console.log(`the party is ${ended.party.state}`);

// It prints:
//   the party is open
//   found: true
//   sharing is cheaper: true
//   the party is full; the watch says joined
//   too late: party_full
//   the party is cancelled
