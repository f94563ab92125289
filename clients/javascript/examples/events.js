// The feed of what happened. Run: node events.js http://127.0.0.1:8080
import { Moyeo } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const { next } = await moyeo.events.list({ limit: 1000 });
const hostId = `host-${Date.now()}`;
const { party } = await moyeo.parties.create({
  hostId, origin: { latitude: 37.5547, longitude: 126.9707 },
  destination: { latitude: 37.4979, longitude: 127.0276 },
  departureTime: new Date(Date.now() + 30 * 60_000) });
await moyeo.parties.cancel({ id: party.id, riderId: hostId });

// Keep the sequence with your own data: a restart of either side then loses nothing.
for await (const event of moyeo.events.watch({ after: next })) {
  if (event.partyId === party.id) console.log(event.kind);
  if (event.kind === "party.cancelled") break;
}

// It prints:
//   party.created
//   party.cancelled
