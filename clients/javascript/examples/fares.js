// What a taxi costs, and how to share it. Run: node fares.js http://127.0.0.1:8080
import { Moyeo } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const origin = { name: "Seoul Station", latitude: 37.5547, longitude: 126.9707 };
const destination = { name: "Gangnam", latitude: 37.4979, longitude: 127.0276 };

const { fare } = await moyeo.fares.estimate({
  origin, destination, departureTime: new Date("2026-11-20T23:10:00+09:00"), riderCount: 3 });
console.log(`${fare.expected} ${fare.currency} by ${fare.tariffId}: ${fare.low} to ${fare.high}`);
const sum = fare.lines.reduce((total, line) => total + line.amount, 0);
console.log(`the lines add up: ${sum === fare.expected}`);

const { shares } = await moyeo.fares.split({
  amount: 10_000, currency: "KRW", rule: "bySoloFare",
  riders: [{ riderId: "a", soloFare: 7000 }, { riderId: "b", soloFare: 5000 }] });
console.log(shares.map(({ riderId, amount }) => `${riderId} pays ${amount}`).join(", "));

const route = await moyeo.routes.plan({ origin, destination });
console.log(`the route is longer than 5 km: ${route.distanceMeters > 5000}`);
const { tariffs } = await moyeo.fares.listTariffs({ tariffId: fare.tariffId, at: new Date() });
console.log(`the tariff is of ${tariffs[0].timeZone}`);

// It prints:
//   18500 KRW by kr-seoul-medium: 14000 to 25600
//   the lines add up: true
//   a pays 5833, b pays 4167
//   the route is longer than 5 km: true
//   the tariff is of Asia/Seoul
