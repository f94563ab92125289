// Requests that wait for each other. Run: node ride-requests.js http://127.0.0.1:8080
import { Moyeo } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const sinchon = { name: "Sinchon", latitude: 37.5551, longitude: 126.9368 };
const gangnam = { name: "Gangnam", latitude: 37.4979, longitude: 127.0276 };
const [bora, seol] = ["bora", "seol"].map((name) => `${name}-${Date.now()}`);
const trip = { origin: sinchon, destination: gangnam,
  departureTime: new Date(Date.now() + 12 * 60_000) };

// Stored, a request waits on when its stream has ended: until it is withdrawn, or its window ends.
async function wait(riderId, values) {
  for await (const event of moyeo.parties.watchMatches({ riderId, ...values, store: true })) {
    // First come the parties that match already.
    return event;
  }
}
const { kind, matchId } = await wait(seol, trip);
console.log(`${kind} come first`);
const { requests } = await moyeo.parties.listRideRequests({ riderId: seol });
console.log(`it is kept: ${requests.length === 1 && requests[0].id === matchId}`);

// Those that wait are matched with one another, once a minute (parties.batchSeconds).
let offer;
for await (const event of moyeo.parties.watchMatches({ riderId: bora, ...trip, store: true })) {
  if (event.kind !== "offer") continue;
  ({ offer } = event);
  break;
}
console.log(`${offer.riders} riders, ${offer.accepted} accepted, `
  + `cheaper than alone: ${offer.share < offer.soloFare}`);

await moyeo.parties.acceptRideOffer({ id: offer.id, riderId: bora });
const [theirs] = (await moyeo.parties.listRideOffers({ riderId: seol })).offers;
console.log(`before the last answer it is ${theirs.state}`);
const firm = await moyeo.parties.acceptRideOffer({ id: theirs.id, riderId: seol });
const { party } = await moyeo.parties.get({ id: firm.offer.partyId });
console.log(`then it is ${firm.offer.state}, a party of ${party.riderCount}`);

// A request that nobody waits for any more is withdrawn.
const back = await wait(bora, { origin: gangnam, destination: sinchon,
  departureTime: new Date(Date.now() + 3 * 3_600_000) });
const { request } = await moyeo.parties.withdrawRideRequest({ id: back.matchId, riderId: bora });
console.log(`the way back is ${request.state}`);

// It prints:
//   candidates come first
//   it is kept: true
//   2 riders, 0 accepted, cheaper than alone: true
//   before the last answer it is open
//   then it is confirmed, a party of 2
//   the way back is withdrawn
