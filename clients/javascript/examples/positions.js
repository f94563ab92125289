// Positions: reported, looked up, watched. Run: node positions.js http://127.0.0.1:8080
import { Moyeo } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const answer = await moyeo.positions.report({ layer: "example", positions: [
  { id: "kim", latitude: 37.5665, longitude: 126.9780, tags: ["swift"], attributes: { level: 7 },
    ttlSeconds: 600 },
  { id: "lee", latitude: 0, longitude: 0 }] });
console.log(`${answer.accepted} accepted`);
for (const { id, reason } of answer.rejections) console.log(`${id} was refused: ${reason}`);

const { position } = await moyeo.positions.get({ layer: "example", id: "kim" });
console.log(`kim is at ${position.latitude}, ${position.longitude}, level ${position.attributes.level}`);

const events = moyeo.positions.watch(
  { layer: "example", latitude: 37.5665, longitude: 126.9780, radiusMeters: 500 });
for await (const event of events) {
  // Those present come first.
  if (event.kind !== "enter") continue;
  console.log(`${event.id} is ${event.distanceMeters} m away`);
  break;
}

const { removed } = await moyeo.positions.remove({ layer: "example", id: "kim" });
console.log(`removed: ${removed}`);

// It prints:
//   1 accepted
//   lee was refused: null_island
//   kim is at 37.5665, 126.978, level 7
//   kim is 0 m away
//   removed: true
