// Who is near, page by page. Run: node nearby.js http://127.0.0.1:8080
import { Moyeo, Refused } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const cityHall = { latitude: 37.5663, longitude: 126.9779 };
await moyeo.positions.report({ layer: "students", positions: [0, 1, 2, 3, 4, 5].map((i) => ({
  id: `student-${i}`, latitude: cityHall.latitude + i / 1000, longitude: cityHall.longitude,
  tags: [i % 2 === 0 ? "swift" : "python"], attributes: { level: i }, ttlSeconds: 600 })) });

let cursor;
do {
  const page = await moyeo.positions.nearby({
    layer: "students", ...cityHall, tags: ["swift"], limit: 2, cursor,
    where: [{ attribute: "level", max: 4 }] });
  for (const hit of page.hits) console.log(`${hit.id}: ${Math.round(hit.distanceMeters)} m`);
  cursor = page.nextCursor;
} while (cursor);

const { tags } = await moyeo.positions.tagHistogram(
  { layer: "students", ...cityHall, radiusMeters: 5000 });
console.log(tags.map(({ tag, count }) => `${tag} ${count}`).join(", "));

const answers = await moyeo.batch([
  { method: "GET", path: "/v1/layers/students/positions/student-1" },
  { method: "POST", path: "/v1/layers/students/nearby", body: { ...cityHall, limit: 1 } }]);
console.log(`several at once: ${answers.map(({ status }) => status).join(" and ")}`);

try {
  await moyeo.positions.nearby({ layer: "students", latitude: 91, longitude: 127 });
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log(`${error.fields[0].field}: ${error.reason}`);
}

// It prints:
//   student-0: 0 m
//   student-2: 222 m
//   student-4: 444 m
//   python 3, swift 3
//   several at once: 200 and 200
//   latitude: latitude_out_of_range
