// Composes the page: map, live clusters, filter, search, status, address.

import { api } from "./api.js";
import { addBaseMap } from "./basemap.js";
import { ClusterLayer } from "./clusters.js";
import { Details, make } from "./details.js";
import { count } from "./format.js";
import { LiveClusters } from "./live.js";
import { mountPanels } from "./panels.js";
import "./parties.js";
import { NearbySearch } from "./search.js";
import { Sheet } from "./sheet.js";
import * as address from "./state.js";
import { StatusLine } from "./status.js";
import { TagFilter } from "./tags.js";
import "./tickets.js";
import { throttle } from "./throttle.js";
import { clustersFromTiles } from "./tiles.js";
import { identity } from "./token.js";
import { mapZoom, unionBounds, viewportBox } from "./viewport.js";

const L = window.L;
const byID = (id) => document.getElementById(id);
const seoul = { latitude: 37.5665, longitude: 126.978, zoom: 11 };
const layersIntervalMilliseconds = 5000;

const map = L.map("map", {
  worldCopyJump: true, minZoom: 1, maxZoom: 20, zoomControl: false, keyboard: true,
  maxBoundsViscosity: 1,
});
map.setMaxBounds([[-89, -Infinity], [89, Infinity]]);
// Leaflet zooms by three with Shift held, as "+" needs on many keyboards, and not from a marker.
map.getContainer().addEventListener("keydown", (event) => {
  const step = { "+": 1, "=": 1, "-": -1, "_": -1 }[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  map.setZoom(map.getZoom() + step);
});
map.attributionControl.setPrefix("Leaflet");
L.control.zoom({ position: "topright" }).addTo(map);
L.control.scale({ position: "bottomright", imperial: false }).addTo(map);

const start = address.read();
let layer = start.layer;
let layers = [];
const status = new StatusLine();
const details = new Details(map);
const subject = () => ({ layer, tags: filter.tags });
const filter = new TagFilter(start.tags, () => follow());
const search = new NearbySearch(map, details, subject);
const markers = new ClusterLayer(map, activate);
const live = new LiveClusters(
  map, start.source === "tiles" ? clustersFromTiles : api.clusters, answered, failed);
const sheet = new Sheet(() => map.invalidateSize());

/** What tests and the curious may read. */
const moyeo = (window.moyeo = {
  map, ready: false, answers: 0, lastAnswerAt: undefined, lastError: undefined,
  get layer() { return layer; },
  get clusters() { return markers.clusters; },
  get sumOfCounts() { return markers.sumOfCounts; },
  get objectCount() { return layers.find(({ name }) => name === layer)?.objectCount; },
  get hits() { return search.hits; },
  get mode() { return live.mode; },
});

/** Objects at one position say so at every zoom, not only where clusters end. */
function marked(cluster) {
  const { pointCount, bounds } = cluster;
  const apart = !bounds || bounds.west !== bounds.east || bounds.south !== bounds.north;
  return pointCount === 1 || apart ? cluster : { ...cluster, coincident: true };
}

function answered(answer, { live: isLive }) {
  markers.show(answer.clusters.map(marked), { glide: isLive });
  details.follow(answer.clusters);
  moyeo.lastAnswerAt = new Date();
  moyeo.lastError = undefined;
  moyeo.answers += 1;
  moyeo.truncated = answer.truncated === true;
  status.answer({
    clusters: answer.clusters.length, sumOfCounts: markers.sumOfCounts, zoom: map.getZoom(),
    truncated: moyeo.truncated, lagMilliseconds: answer.lagMilliseconds, at: moyeo.lastAnswerAt,
  });
  status.mode(live.mode);
  status.notice(undefined);
  moyeo.ready = true;
}

function failed(error) {
  moyeo.lastError = error.message;
  status.mode("error");
  // What is wrong with the token stands in the panel, with a way to change it.
  status.notice(identity.mayAsk ? error.message : undefined);
  if (error.reason === "unknown_layer") markers.clear();
}

/** A click, Enter or Space on a marker. */
async function activate(cluster, marker) {
  if (cluster.pointCount === 1) {
    return details.openObject(layer, cluster, marker.getElement());
  }
  if (cluster.coincident) return details.openMembers(layer, cluster, marker.getElement());
  try {
    const zoom = cluster.expansionZoom
      ?? (await api.expansionZoom(layer, cluster.id)).expansionZoom;
    if (zoom === undefined) return details.openMembers(layer, cluster, marker.getElement());
    map.closePopup();
    map.setView(marker.getLatLng(), Math.min(mapZoom(zoom), map.getMaxZoom()));
  } catch (error) {
    // Points moved on and the cluster is no more: show what there is now.
    if (error.status === 404) live.refresh();
    else failed(error);
  }
}

function writeAddress() {
  const { lat, lng } = map.getCenter().wrap();
  address.write({
    layer, tags: filter.tags, source: start.source,
    view: { latitude: lat, longitude: lng, zoom: map.getZoom() },
  });
}

/** Another layer or other tags. */
function follow() {
  if (!layer) return;
  markers.clear();
  map.closePopup();
  moyeo.ready = false;
  live.follow(layer, filter.tags);
  search.again();
  status.objects(moyeo.objectCount);
  writeAddress();
  suggestTags();
}

const suggestTags = throttle(async () => {
  if (!layer) return;
  try {
    filter.suggest((await api.tags(layer, { ...viewportBox(map), limit: 50 })).tags);
  } catch {
    // Suggestions are a help; without them any tag can still be typed.
  }
}, 1500);

async function showAll() {
  if (!layer) return;
  const world = { west: -180, south: -90, east: 180, north: 90, zoom: 0 };
  try {
    const { clusters } = await api.clusters(layer, world);
    const box = unionBounds(clusters);
    if (!box) return;
    const side = sheet.isNarrow || !sheet.isOpen ? 0 : byID("panel").offsetWidth;
    map.fitBounds([[box.south, box.west], [box.north, box.east]], {
      paddingTopLeft: [side + 30, 40], paddingBottomRight: [40, 60], maxZoom: 16,
    });
  } catch (error) {
    failed(error);
  }
}

function drawLayers() {
  const picker = byID("layer");
  const names = layers.map(({ name }) => name);
  if (layer && !names.includes(layer)) names.push(layer);
  const options = names.map((name) => {
    const known = layers.find((one) => one.name === name);
    const text = known ? `${name} (${count(known.objectCount)})` : `${name} (not yet)`;
    return make("option", { value: name, selected: name === layer }, text);
  });
  picker.replaceChildren(...options);
  picker.disabled = options.length === 0;
}

/** Keeps the list of layers and their counts; picks a first layer when the address names none. */
async function pollLayers() {
  try {
    if (!document.hidden) {
      layers = (await api.layers()).layers;
      if (document.activeElement !== byID("layer")) drawLayers();
      if (!layer && layers.length > 0) {
        layer = [...layers].sort((a, b) => b.objectCount - a.objectCount)
          .find(({ clusters }) => clusters)?.name ?? layers[0].name;
        drawLayers();
        if (!start.view) await showAll();
        follow();
      }
      status.objects(moyeo.objectCount);
      if (!layer) status.notice("There is no layer yet: one begins with its first report.");
    }
  } catch (error) {
    failed(error);
  }
  setTimeout(pollLayers, layer ? layersIntervalMilliseconds : 1500);
}

byID("layer").addEventListener("change", (event) => {
  layer = event.target.value;
  follow();
});
byID("show-all").addEventListener("click", showAll);
window.addEventListener("hashchange", () => {
  const next = address.read();
  if (next.view) map.setView([next.view.latitude, next.view.longitude], next.view.zoom);
  if (next.layer && (next.layer !== layer || String(next.tags) !== String(filter.tags))) {
    layer = next.layer;
    filter.replace(next.tags);
    drawLayers();
    follow();
  }
});
map.on("moveend", () => {
  if (!layer) return;
  writeAddress();
  suggestTags();
});

// Nothing is asked before it is known as whom.
const configuration = await api.pageConfig();
identity.begin(byID("auth-mode"), configuration.authMode);
const view = start.view ?? seoul;
map.setView([view.latitude, view.longitude], view.zoom);
addBaseMap(map, configuration).catch(failed);
mountPanels({ map, details, subject });
if (layer) {
  if (!start.view) await showAll();
  follow();
}
pollLayers();
