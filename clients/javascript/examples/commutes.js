// A ride that repeats on weekdays. Run: node commutes.js http://127.0.0.1:8080
import { Moyeo } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const sinchon = { name: "Sinchon", latitude: 37.5551, longitude: 126.9368 };
const gangnam = { name: "Gangnam", latitude: 37.4979, longitude: 127.0276 };
const [mirae, dain] = ["mirae", "dain"].map((name) => `${name}-${Date.now()}`);
const dayFromNow = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const { next } = await moyeo.events.list({ limit: 1000 });
const { commute } = await moyeo.commutes.create({
  hostId: mirae, origin: sinchon, destination: gangnam,
  weekdays: ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"], localTime: "07:45",
  timeZone: "Asia/Seoul", to: dayFromNow(30) });
console.log(`the commute is ${commute.state}`);

// Two days ahead a day appears: as a party, with an id and events of its own.
for await (const event of moyeo.events.watch({ after: next, kinds: ["party.created"] })) {
  if (event.body.hostId !== mirae) continue;
  const { party } = await moyeo.parties.get({ id: event.partyId });
  console.log(`a day is a party that is ${party.state}: ${party.commuteId === commute.id}`);
  break;
}

// Who joins the series rides on the days that have appeared, and on each as it appears.
const joined = await moyeo.commutes.join({ id: commute.id, riderId: dain });
console.log(`riders beside the host: ${joined.commute.riderCount}`);

const off = dayFromNow(9);
await moyeo.commutes.update({ id: commute.id, riderId: mirae, removed: [off] });
const { occurrences } = (await moyeo.commutes.get({ id: commute.id, days: 14 })).commute;
console.log(`rides on the day off: ${occurrences.some(({ date }) => date === off)}`);

const { commutes } = await moyeo.commutes.list({ riderId: dain });
console.log(`followed by its rider: ${commutes.length}`);
await moyeo.commutes.leave({ id: commute.id, riderId: dain });
const ended = await moyeo.commutes.cancel({ id: commute.id, includeAppeared: true });
console.log(`the commute is ${ended.commute.state}`);

// It prints:
//   the commute is active
//   a day is a party that is open: true
//   riders beside the host: 1
//   rides on the day off: false
//   followed by its rider: 1
//   the commute is cancelled
