// Places by name, and names by place. Run: node places.js http://127.0.0.1:8080
import { Moyeo } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const seomyeon = { latitude: 35.1577, longitude: 129.0591 };
// Objects of the layer `places` that have a name are places.
await moyeo.positions.report({ layer: "places", positions: [
  { id: "busan:seomyeon", ...seomyeon, ttlSeconds: 600,
    attributes: { name: "서면역", name_en: "Seomyeon", category: "station" } },
  { id: "busan:bujeon", latitude: 35.1620, longitude: 129.0624, ttlSeconds: 600,
    attributes: { name: "부전역", name_en: "Bujeon", category: "station" } }] });
// The index of names follows the layer within moments.
while ((await moyeo.places.search({ q: "부전역" })).places.length === 0) {
  await new Promise((resolve) => { setTimeout(resolve, 50); });
}

// Initial consonants, half a syllable, a typing error, the other script.
for (const q of ["ㅅㅁㅇ", "서며", "seomyon", "bujeon"]) {
  const { places } = await moyeo.places.search({ q, ...seomyeon, radiusMeters: 3000, limit: 1 });
  console.log(`${q}: ${places[0].name}`);
}

const near = await moyeo.places.reverse({ ...seomyeon, limit: 2 });
for (const { name, category, distanceMeters } of near.places) {
  console.log(`${name}, ${category}, ${Math.round(distanceMeters)} m away`);
}

// It prints:
//   ㅅㅁㅇ: 서면역
//   서며: 서면역
//   seomyon: 서면역
//   bujeon: 부전역
//   서면역, station, 0 m away
//   부전역, station, 564 m away
