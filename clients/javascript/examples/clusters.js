// Clusters of a viewport, and tiles. Run: node clusters.js http://127.0.0.1:8080
import { Moyeo, ViewportClusters } from "../moyeo.js";

const moyeo = new Moyeo(process.argv[2]);
const seoul = { west: 126.9, south: 37.5, east: 127.1, north: 37.6 };
const { version } = await moyeo.positions.report({ layer: "bikes",
  positions: Array.from({ length: 50 }, (_, i) => (
    { id: `bike-${i}`, latitude: 37.55 + i / 100_000, longitude: 127, ttlSeconds: 600 })) });

// A map calls show() whenever it comes to rest; quick moves make one request.
const clusters = await new Promise((onClusters, onError) => {
  const viewport = new ViewportClusters(
    moyeo, { query: { layer: "bikes", minVersion: version }, onClusters, onError });
  viewport.show({ ...seoul, zoom: 5 });
  viewport.show({ ...seoul, zoom: 10 });
});
for (const cluster of clusters) {
  console.log(`${cluster.pointCount} bikes, apart further in: ${cluster.expansionZoom > 10}`);
  const { hits } = await moyeo.clusters.getLeaves(
    { layer: "bikes", clusterId: cluster.id, limit: 3 });
  console.log(`${hits.length} of them were asked for`);
}

const tile = await moyeo.clusters.getTile({ layer: "bikes", zoom: 0, x: 0, y: 0 });
console.log(`a tile of ${tile.contentType}`);
const again = await moyeo.clusters.getTile(
  { layer: "bikes", zoom: 0, x: 0, y: 0, ifNoneMatch: tile.etag });
console.log(`unchanged: ${again.notModified}`);

for await (const event of moyeo.clusters.watchTiles({ layer: "bikes", ...seoul, zoom: 12 })) {
  console.log(`first comes a ${event.kind}`);
  break;
}

// It prints:
//   50 bikes, apart further in: true
//   3 of them were asked for
//   a tile of application/vnd.mapbox-vector-tile
//   unchanged: true
//   first comes a reset
