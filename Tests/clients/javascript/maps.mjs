// The examples for maps, with stand-ins for the SDKs that draw: node maps.mjs URL
import assert from "node:assert/strict";
import { Moyeo, ViewportClusters } from "../../../clients/javascript/moyeo.js";

const address = process.argv[2];
const examples = "../../../clients/javascript/examples";
const VIEW = { west: 126.9, south: 37.5, east: 127.1, north: 37.6 };
const element = () => ({ textContent: "" });
globalThis.document = { createElement: element };

/** Waits for a condition; the process ends with an error when it never holds. */
async function until(what, condition) {
  for (let i = 0; !condition(); i++) {
    assert(i < 3000, `not in 30 s: ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

const report = (layer, count, ttlSeconds = 0) => new Moyeo(address).positions.report({ layer,
  positions: Array.from({ length: count }, (_, i) => (
    { id: `o${i}`, latitude: 37.55, longitude: 127, ttlSeconds })) });

async function kakao() {
  await report("kakao", 3);
  const drawn = new Set();
  const listeners = {};
  class LatLng {
    constructor(latitude, longitude) { Object.assign(this, { latitude, longitude }); }
    getLat() { return this.latitude; }
    getLng() { return this.longitude; }
  }
  const sdk = { maps: {
    LatLng,
    Map: class {
      getBounds() {
        return { getSouthWest: () => new LatLng(VIEW.south, VIEW.west),
          getNorthEast: () => new LatLng(VIEW.north, VIEW.east) };
      }
      getLevel() { return 7; }
    },
    CustomOverlay: class {
      constructor({ content }) { this.content = content; drawn.add(this); }
      getContent() { return this.content; }
      setPosition(at) { this.at = at; }
      setMap(map) { if (map === null) drawn.delete(this); }
    },
    event: { addListener: (_, kind, listener) => { listeners[kind] = listener; } } } };
  const { showClusters } = await import(`${examples}/kakao.js`);
  const viewport = showClusters(
    sdk, { ownerDocument: document }, new Moyeo(address), "kakao");
  await until("three are drawn", () => [...drawn].some((one) => one.content.textContent === 3));
  const [first] = drawn;
  assert.equal(first.at.latitude.toFixed(5), "37.55000");
  await report("kakao", 5);
  await until("five, as it is live", () => [...drawn].some((one) => one.content.textContent === 5));
  listeners.idle();
  await new Moyeo(address).positions.deleteLayer({ layer: "kakao" });
  await report("kakao", 1);
  await until("one is left", () => [...drawn].map((one) => one.content.textContent).join() === "1");
  viewport.stop();
}

async function maplibre() {
  await report("maplibre", 4);
  const drawn = new Set();
  const listeners = {};
  const made = [];
  const sdk = {
    Map: class {
      constructor(options) { Object.assign(this, { options, sources: {}, layers: [] }); made.push(this); }
      on(kind, listener) { listeners[kind] = listener; return this; }
      getBounds() {
        return { getWest: () => VIEW.west, getSouth: () => VIEW.south, getEast: () => VIEW.east,
          getNorth: () => VIEW.north };
      }
      getZoom() { return 10; }
      addSource(id, source) { this.sources[id] = source; }
      addLayer(layer) { this.layers.push(layer); }
    },
    Marker: class {
      constructor({ element }) { this.element = element; }
      getElement() { return this.element; }
      setLngLat(at) { this.at = at; return this; }
      addTo() { drawn.add(this); }
      remove() { drawn.delete(this); }
    } };
  const { showClusters } = await import(`${examples}/maplibre.js`);
  const viewport = showClusters(sdk, "map", new Moyeo(address), "maplibre");
  listeners.load();
  await until("four are drawn", () => [...drawn].some((one) => one.element.textContent === 4));
  assert.deepEqual([...drawn][0].at.map((degrees) => degrees.toFixed(5)), ["127.00000", "37.55000"]);
  viewport.stop();

  const { showTiles } = await import(`${examples}/maplibre-tiles.js`);
  const map = await showTiles(
    sdk, "map", new Moyeo(address, { token: async () => "a-token" }), "maplibre");
  listeners.load();
  const described = await (await fetch(map.sources.maplibre.url)).json();
  assert(map.layers.every((layer) => layer["source-layer"] === described.vector_layers[0].id));
  assert.deepEqual(map.options.transformRequest(described.tiles[0]).headers,
    { authorization: "Bearer a-token" });
  assert.deepEqual(map.options.transformRequest("https://other.example/a"),
    { url: "https://other.example/a" });
  assert.deepEqual(map.options.transformRequest(`${address}.other.example/a`).headers, undefined);
}

async function viewport() {
  await report("viewed", 2);
  let [asked, started, givenUp, answers] = [0, 0, 0, []];
  const moyeo = new Moyeo(address, { fetch: async (url, options) => {
    asked++;
    return fetch(url, options);
  } });
  const errors = [];
  const view = new ViewportClusters(moyeo, { query: { layer: "viewed" }, delay: 20,
    onClusters: (clusters, answer) => answers.push(answer.zoom), onError: (error) => errors.push(error) });
  for (let zoom = 0; zoom <= 9; zoom++) view.show({ ...VIEW, zoom });
  await until("one answer", () => answers.length > 0);
  assert.deepEqual([asked, answers], [1, [9]]);
  // A request that is under way when the map moves on is given up.
  const slow = new Moyeo(address, { fetch: (url, options) => url.includes("zoom=8")
    ? fetch(url, options)
    : new Promise((_, refuse) => {
      started++;
      options.signal.addEventListener("abort", () => { givenUp++; refuse(options.signal.reason); });
    }) });
  answers = [];
  const other = new ViewportClusters(slow, { query: { layer: "viewed" }, delay: 1,
    onClusters: (clusters, answer) => answers.push(answer.zoom), onError: (error) => errors.push(error) });
  other.show({ ...VIEW, zoom: 3 });
  await until("the first request", () => started > 0);
  other.show({ ...VIEW, zoom: 8 });
  await until("the newest answer", () => answers.length > 0);
  assert.deepEqual([answers, givenUp, errors], [[8], 1, []]);
  const lost = new ViewportClusters(moyeo, { query: { layer: "nowhere" }, delay: 1,
    onClusters: () => assert.fail("clusters"), onError: (error) => errors.push(error.reason) });
  lost.show({ ...VIEW, zoom: 3 });
  await until("the refusal", () => errors.length > 0);
  assert.deepEqual(errors, ["unknown_layer"]);
}

for (const example of [kakao, maplibre, viewport]) {
  await example();
  console.log(`${example.name} fine`);
}
