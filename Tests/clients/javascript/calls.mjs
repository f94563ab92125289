// Every call of the JavaScript client against a daemon: node calls.mjs URL
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { Moyeo, Refused, TimedOut, Unreachable } from "../../../clients/javascript/moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const SEOUL = { latitude: 37.5547, longitude: 126.9707 };
const GANGNAM = { latitude: 37.4979, longitude: 127.0276 };
const BOX = { west: 126.9, south: 37.4, east: 127.1, north: 37.6 };
const corners = [{ latitude: 37.4, longitude: 126.9 }, { latitude: 37.4, longitude: 127.1 },
  { latitude: 37.6, longitude: 127 }];
const leave = new Date(Date.now() + 30 * 60_000);

async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    assert(error instanceof Refused, `${error}`);
    return error;
  }
  assert.fail("it was not refused");
}

async function positions() {
  const layer = "places-of-people";
  const { accepted, rejections, version } = await moyeo.positions.report({ layer, positions: [
    { id: "a/b c?", latitude: 37.5, longitude: 127, tags: ["Swift"], observedAt: new Date(),
      attributes: { level: 7, name: "김", list: [1, { x: null }] }, ttlSeconds: 600 },
    { id: "zero", latitude: 0, longitude: 0 }] });
  assert.deepEqual([accepted, rejections[0].reason], [1, "null_island"]);
  const { position } = await moyeo.positions.get({ layer, id: "a/b c?", minVersion: version });
  assert.equal(position.attributes.name, "김");
  const near = { layer, latitude: 37.5, longitude: 127 };
  const { hits } = await moyeo.positions.nearby(
    { ...near, tags: ["swift"], where: [{ attribute: "name", equals: "김" }] });
  assert.equal(hits[0].id, "a/b c?");
  const batch = await moyeo.positions.nearbyBatch({ layer, requests: [
    { latitude: 37.5, longitude: 127 }, { latitude: 99 }] });
  assert.deepEqual(batch.responses.map(({ status }) => status), [200, 400]);
  assert.equal((await moyeo.positions.within({ layer, ...BOX })).hits.length, 1);
  assert.equal((await moyeo.positions.within({ layer, within: { points: corners } })).hits.length, 1);
  // A polygon in the query of a GET.
  const { tags } = await moyeo.positions.tagHistogram({ layer, within: { points: corners } });
  assert.deepEqual(tags, [{ tag: "swift", count: 1 }]);
  const watch = moyeo.positions.watch({ ...near, radiusMeters: 10 });
  for await (const event of watch) {
    assert.deepEqual([event.kind, event.id], ["enter", "a/b c?"]);
    break;
  }
  assert.match(watch.resumeToken, /-/);
  assert((await moyeo.positions.listLayers()).layers.some(({ name }) => name === layer));
  assert((await moyeo.positions.remove({ layer, id: "a/b c?" })).removed);
  await moyeo.positions.deleteLayer({ layer });
  const unknown = await refusal(moyeo.positions.nearby({ ...near, layer }));
  assert.deepEqual([unknown.reason, unknown.status, unknown.code],
    ["unknown_layer", 404, "NOT_FOUND"]);
  assert.match(unknown.message, /^there is no layer/);
  assert.equal((await refusal(moyeo.positions.nearby({ ...near, layer: "No" }))).reason, "bad_layer");
}

async function clusters() {
  const layer = "clustered";
  const { version } = await moyeo.positions.report({ layer,
    positions: Array.from({ length: 30 }, (_, i) => (
      { id: `o${i}`, latitude: 37.5 + i / 1e4, longitude: 127, ttlSeconds: 0,
        attributes: { level: i } })) });
  const all = await moyeo.clusters.getClusters({ layer, ...BOX, zoom: 9, minVersion: version,
    where: [{ attribute: "level", min: 0, max: 40 }] });
  assert.equal(all.clusters.reduce((sum, { pointCount }) => sum + pointCount, 0), 30);
  const [cluster] = (await moyeo.clusters.getClusters({ layer, ...BOX, zoom: 9 })).clusters;
  const named = { layer, clusterId: cluster.id };
  assert((await moyeo.clusters.getChildren(named)).clusters.length > 1);
  assert.equal((await moyeo.clusters.getExpansionZoom(named)).expansionZoom, cluster.expansionZoom);
  assert.equal((await moyeo.clusters.getLeaves({ ...named, limit: 20 })).hits.length, 20);
  const tile = await moyeo.clusters.getTile({ layer, zoom: 0, x: 0, y: 0 });
  assert(tile.tile instanceof Uint8Array && tile.tile.length > 10 && tile.version);
  const same = await moyeo.clusters.getTile({ layer, zoom: 0, x: 0, y: 0, ifNoneMatch: tile.etag });
  assert.deepEqual([same.notModified, same.tile.length], [true, 0]);
  let sent;
  const noting = new Moyeo(process.argv[2], { fetch: (url, options) => {
    sent = options.headers;
    return fetch(url, options);
  } });
  await noting.clusters.getTile({ layer, zoom: 0, x: 0, y: 0, ifNoneMatch: tile.etag },
    { headers: { "x-moyeo-session": "map" } });
  assert.deepEqual([sent["x-moyeo-session"], sent["if-none-match"]], ["map", tile.etag]);
  const json = await moyeo.clusters.getTile({ layer, zoom: 0, x: 0, y: 0, format: "json" });
  assert.equal(JSON.parse(new TextDecoder().decode(json.tile)).type, "FeatureCollection");
  for await (const event of moyeo.clusters.watchTiles({ layer, ...BOX, zoom: 9 })) {
    assert.equal(event.kind, "reset");
    break;
  }
  const address = moyeo.tileURL(layer, { format: "json", tags: ["a&b"] });
  const template = address.replace("{z}", 0).replace("{x}", 0).replace("{y}", 0);
  assert.deepEqual((await (await fetch(template)).json()).features, []);
  const described = await (await fetch(moyeo.tileJSONURL(layer))).json();
  assert.deepEqual(described.tiles, [moyeo.tileURL(layer)]);
}

async function parties() {
  const [host, rider, other] = ["host", "rider", "other"];
  const trip = { origin: SEOUL, destination: GANGNAM, departureTime: leave };
  const { party } = await moyeo.parties.create({ hostId: host, ...trip, seats: 3, tags: ["late"] });
  assert.equal((await moyeo.parties.get({ id: party.id })).party.hostId, host);
  assert.equal((await moyeo.parties.list({ hostId: host, state: ["open"] })).parties.length, 1);
  const { parties: found } = await moyeo.parties.search({ ...SEOUL, tags: ["late"], from: new Date() });
  assert.deepEqual(found.map(({ id }) => id), [party.id]);
  const match = await moyeo.parties.match({ riderId: rider, ...trip, explain: true });
  assert.deepEqual(match.candidates.map((one) => one.party.id), [party.id]);
  for await (const event of moyeo.parties.watchMatches({ riderId: rider, ...trip, store: true })) {
    assert.deepEqual([event.kind, event.candidates.length], ["candidates", 1]);
    assert(event.matchId);
    const { requests } = await moyeo.parties.listRideRequests({ riderId: rider });
    assert.deepEqual(requests.map(({ id }) => id), [event.matchId]);
    const mine = { id: event.matchId, riderId: rider };
    // What was found may be noted in between.
    assert.equal((await moyeo.parties.getRideRequest(mine)).request.id, event.matchId);
    assert.equal((await moyeo.parties.withdrawRideRequest(mine)).request.state, "withdrawn");
    assert.equal((await refusal(moyeo.parties.getRideRequest(mine))).reason, "unknown_ride_request");
    break;
  }
  assert.deepEqual((await moyeo.parties.listRideOffers({ riderId: rider })).offers, []);
  const offer = { id: "none", riderId: rider };
  for (const refused of [() => moyeo.parties.getRideOffer(offer),
    () => moyeo.parties.acceptRideOffer(offer), () => moyeo.parties.declineRideOffer(offer)]) {
    assert.equal((await refusal(refused())).reason, "unknown_ride_offer");
  }
  assert.equal((await moyeo.parties.previewJoin({ id: party.id, riderId: rider })).now.length, 2);
  const watch = moyeo.parties.watch({ id: party.id, afterVersion: party.version });
  const joined = (await moyeo.parties.join({ id: party.id, riderId: rider })).party;
  assert.equal(joined.riders.reduce((sum, { share }) => sum + share, 0), joined.fare.expected);
  for await (const event of watch) {
    assert.equal(event.kind, "joined");
    break;
  }
  const asked = await moyeo.parties.create({
    hostId: "lena", ...trip, approval: "host", agreedFare: { amount: 9001, currency: "KRW" } });
  assert.equal(asked.party.fare.source, "agreed");
  const late = { id: asked.party.id };
  const ask = async (riderId) => {
    const { joinRequest } = await moyeo.parties.join({ ...late, riderId });
    assert.equal(joinRequest.state, "pending");
    return { ...late, requestId: joinRequest.id };
  };
  const said = [await moyeo.parties.approveJoin(await ask("amy")),
    await moyeo.parties.declineJoin(await ask("bob")),
    await moyeo.parties.withdrawJoin(await ask("cho"))];
  assert.deepEqual(said.map(({ joinRequest }) => joinRequest.state),
    ["approved", "declined", "withdrawn"]);
  await moyeo.parties.join({ id: party.id, riderId: other });
  await moyeo.parties.removeRider({ id: party.id, riderId: other, hostId: host, reason: "host" });
  await moyeo.parties.leave({ id: party.id, riderId: rider });
  assert.equal((await moyeo.parties.update({ id: party.id, riderId: host, seats: 2 })).party.seats, 2);
  assert.equal(
    (await refusal(moyeo.parties.depart({ id: party.id, riderId: host }))).reason, "too_early");
  assert.equal((await refusal(
    moyeo.parties.settle({ id: party.id, payerId: host, amount: 1000 }))).reason, "not_departed");
  assert.equal(
    (await moyeo.parties.cancel({ id: party.id, riderId: host })).party.state, "cancelled");
  const { groups } = await moyeo.parties.matchBatch({ iterations: 10, seed: 1,
    requests: ["a", "b"].map((riderId) => ({ riderId, ...trip })) });
  assert.deepEqual(groups[0].riderIds.toSorted?.() ?? groups[0].riderIds.sort(), ["a", "b"]);
  const { events } = await moyeo.events.list({ kinds: ["party.created"] });
  assert.equal(events[0].body.hostId, host);
  for await (const event of moyeo.events.watch({ kinds: ["party.cancelled"] })) {
    assert.equal(event.partyId, party.id);
    break;
  }
}

async function commutes() {
  const [host, rider] = ["commuter", "companion"];
  const last = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const { commute } = await moyeo.commutes.create({ hostId: host, origin: SEOUL, destination: GANGNAM, weekdays: ["MON", "SUN"],
    localTime: "07:45", timeZone: "Asia/Seoul", to: last });
  assert.equal(commute.state, "active");
  assert.equal((await moyeo.commutes.get({ id: commute.id, days: 3 })).commute.hostId, host);
  assert.equal((await moyeo.commutes.list({ hostId: host })).commutes.length, 1);
  const joined = (await moyeo.commutes.join({ id: commute.id, riderId: rider })).commute;
  assert.equal(joined.riderCount, 1);
  const changed = await moyeo.commutes.update({ id: commute.id, riderId: host, localTime: "08:00" });
  assert.equal(changed.commute.localTime, "08:00");
  assert.equal((await moyeo.commutes.leave({ id: commute.id, riderId: rider })).commute.riderCount, 0);
  assert.equal((await moyeo.commutes.cancel({ id: commute.id })).commute.state, "cancelled");
}

async function fares() {
  const night = new Date("2026-11-20T23:10:00+09:00");
  const { fare } = await moyeo.fares.estimate(
    { origin: SEOUL, destination: GANGNAM, departureTime: night, riderCount: 3 });
  assert.equal(fare.lines.reduce((sum, { amount }) => sum + amount, 0), fare.expected);
  const { shares } = await moyeo.fares.split({ amount: 10_000, currency: "KRW", rule: "equal",
    riders: [{ riderId: "a" }, { riderId: "b" }, { riderId: "c" }] });
  assert.equal(shares.reduce((sum, { amount }) => sum + amount, 0), 10_000);
  assert((await moyeo.fares.listTariffs()).tariffs.length > 1);
  const route = await moyeo.routes.plan({ origin: SEOUL, destination: GANGNAM });
  assert(Array.isArray(route.path[0]));
  await moyeo.positions.report({ layer: "places", positions: [
    { id: "gangnam", ...GANGNAM, ttlSeconds: 0, attributes: { name: "강남역" } }] });
  for (let found = []; found[0]?.name !== "강남역";) {
    ({ places: found } = await moyeo.places.search({ q: "ㄱㄴㅇ", ...GANGNAM }));
  }
  assert.equal((await moyeo.places.reverse(GANGNAM)).places[0].id, "gangnam");
}

async function tickets() {
  const here = { latitude: 37.4979, longitude: 127.0276 };
  for (const userId of ["ann", "ben", "eve"]) {
    await moyeo.tickets.open({ userId, here, tags: ["swift"] });
  }
  const pair = { userId: "ann", otherId: "ben" };
  const turned = { userId: "ben", otherId: "ann" };
  assert((await moyeo.tickets.heartbeat({ userId: "ann" })).ticket.online);
  assert.equal((await moyeo.tickets.search({ userId: "ann" })).around.length, 2);
  const { version } = (await moyeo.tickets.get({ userId: "ben" })).ticket;
  await moyeo.tickets.propose(pair);
  for await (const event of moyeo.tickets.watch({ userId: "ben", afterVersion: version })) {
    assert.match(event.kind, /proposed/);
    break;
  }
  await moyeo.tickets.withdraw(pair);
  await moyeo.tickets.propose(pair);
  await moyeo.tickets.decline(turned);
  await moyeo.tickets.propose(turned);
  assert.equal((await moyeo.tickets.accept(pair)).ticket.matchedWith, "ben");
  await moyeo.tickets.dodge(pair);
  await moyeo.tickets.block({ userId: "ann", otherId: "eve" });
  await moyeo.tickets.unblock({ userId: "ann", otherId: "eve" });
  await moyeo.tickets.reportUser(turned);
  await moyeo.tickets.open({ userId: "ben", here, tags: ["swift"] });
  await moyeo.tickets.propose({ userId: "ben", otherId: "eve" });
  await moyeo.tickets.accept({ userId: "eve", otherId: "ben" });
  await moyeo.tickets.rate({ userId: "ben", otherId: "eve", stars: 5 });
  assert.equal((await moyeo.tickets.close({ userId: "eve" })).ticket.state, "closed");
}

async function givingUp() {
  const controller = new AbortController();
  const asking = moyeo.tickets.get(
    { userId: "ben", afterVersion: (await moyeo.tickets.get({ userId: "ben" })).ticket.version,
      waitSeconds: 30 }, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(asking, /enough/);
  const stream = moyeo.positions.watch({ layer: "clustered", ...BOX });
  const ended = (async () => { for await (const _ of stream); return true; })();
  stream.close();
  assert(await ended);
  const early = new AbortController();
  early.abort();
  for await (const _ of moyeo.events.watch({}, { signal: early.signal })) assert.fail("an event");
  await assert.rejects(
    moyeo.tickets.get({ userId: "ben", afterVersion: "99", waitSeconds: 5 }, { timeout: 50 }),
    (error) => error instanceof TimedOut || error instanceof Refused);
  // A port that was free a moment ago.
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const nobody = `http://127.0.0.1:${server.address().port}`;
  await new Promise((done) => server.close(done));
  await assert.rejects(new Moyeo(nobody, { attempts: 1 }).positions.listLayers(), (error) => {
    assert(error instanceof Unreachable);
    assert.deepEqual(
      [error.sent, error.message], [false, `Nobody answers at ${nobody}: ECONNREFUSED.`]);
    return true;
  });
  for (const address of ["127.0.0.1:8080", "ftp://a", "http://", "http://a?b"]) {
    assert.throws(() => new Moyeo(address), /is not an address of Moyeo/);
  }
}

for (const group of [positions, clusters, parties, commutes, fares, tickets, givingUp]) {
  await group();
  console.log(`${group.name} fine`);
}
