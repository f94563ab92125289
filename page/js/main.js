// Composes the page: map, living canvas, clusters, filter, search, figures, status, address.

import { api } from "./api.js";
import { addBaseMap } from "./basemap.js";
import { ClusterLayer } from "./clusters.js";
import { Conditions } from "./conditions.js";
import { Details } from "./details.js";
import { Display } from "./display.js";
import { make } from "./elements.js";
import { EmptyNotice } from "./emptynotice.js";
import { Figures } from "./figures.js";
import { count, time } from "./format.js";
import { fitToFree } from "./freemap.js";
import { beginHelp } from "./help.js";
import { language, otherLanguage, sentenceOf, speak, t, translate } from "./language.js";
import { Labels } from "./labels.js";
import { LiveClusters } from "./live.js";
import { modes } from "./modes.js";
import { Pace } from "./pace.js";
import { mountPanels } from "./panels.js";
import "./parties.js";
import { PlacePicker } from "./placepicker.js";
import { addPlaceNames } from "./placenames.js";
import { Scene } from "./scene.js";
import { NearbySearch } from "./search.js";
import { Sheet } from "./sheet.js";
import * as address from "./state.js";
import { StatusLine } from "./status.js";
import { TagFilter } from "./tags.js";
import { languages } from "./texts.js";
import "./tickets.js";
import { throttle } from "./throttle.js";
import { clustersFromTiles } from "./tiles.js";
import { identity } from "./token.js";
import { mapZoom, unionBounds } from "./viewport.js";

const L = window.L;
const byID = (id) => document.getElementById(id);
const seoul = { latitude: 37.5665, longitude: 126.978, zoom: 11 };
const layersIntervalMilliseconds = 5000;
/** How strongly people shine while rides are looked at. */
const fadedStrength = 0.24;

translate();
byID("language").textContent = languages[otherLanguage];
byID("language").lang = otherLanguage;
byID("language").addEventListener("click", () => speak(otherLanguage));

const map = L.map("map", {
  worldCopyJump: true, minZoom: 1, maxZoom: 20, zoomControl: false, keyboard: true,
  maxBoundsViscosity: 1, zoomAnimation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
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
L.control.zoom({
  position: "topright", zoomInTitle: t("zoomIn"), zoomOutTitle: t("zoomOut"),
}).addTo(map);
L.control.scale({ position: "bottomright", imperial: false }).addTo(map);

// Before anything measures the map: a phone's sheet takes its part of the window.
const sheet = new Sheet(() => map.invalidateSize());
const start = address.read();
let layer = start.layer;
let layers = [];
const status = new StatusLine();
const scene = new Scene(map);
const labels = new Labels(map, () => scene.circles);
const details = new Details(map);
const subject = () => ({ layer, tags: filter.tags, where: conditions.query });
const filter = new TagFilter(start.tags, () => follow());
const conditions = new Conditions(() => follow());
const search = new NearbySearch(map, details, subject, () => sheet.isNarrow && sheet.set(true));
const markers = new ClusterLayer(map, scene, activate);
const display = new Display(map, scene, {
  host: byID("display"), initial: start.display, subject, onError: failed,
  onChange: () => {
    writeAddress();
    display.answered(markers.clusters);
  },
});
const live = new LiveClusters(
  map, start.source === "tiles" ? clustersFromTiles : api.clusters, answered, failed);
const pace = new Pace(status);
const figures = new Figures(map, { subject, filter, conditions });
const empty = new EmptyNotice(() => {
  conditions.clear();
  filter.replace([]);
  follow();
});
PlacePicker.makeWay = (isPicking) => sheet.makeWay(isPicking);

/** What tests and the curious may read. */
const moyeo = (window.moyeo = {
  map, scene, ready: false, answers: 0, lastAnswerAt: undefined, lastError: undefined,
  get layer() { return layer; },
  get display() { return display.current; },
  get clusters() { return markers.clusters; },
  get sumOfCounts() { return markers.sumOfCounts; },
  get objectCount() { return layers.find(({ name }) => name === layer)?.objectCount; },
  get hits() { return search.hits; },
  get hexagons() { return display.hexagons; },
  get mode() { return live.mode; },
  get isCurrent() { return live.isCurrent; },
});

/** Objects at one position say so at every zoom, not only where clusters end. */
function marked(cluster) {
  const { pointCount, bounds } = cluster;
  const apart = !bounds || bounds.west !== bounds.east || bounds.south !== bounds.north;
  return pointCount === 1 || apart ? cluster : { ...cluster, coincident: true };
}

function answered(answer, { live: isLive, zoom }) {
  const clusters = answer.clusters.map(marked);
  markers.show(clusters, { live: isLive, zoom: mapZoom(zoom) });
  labels.arrange();
  display.answered(clusters);
  figures.answered({ live: isLive });
  details.follow(clusters);
  pace.answered(clusters, { live: isLive });
  if (display.current === "points") pace.count(display.takeChanges());
  moyeo.lastAnswerAt = new Date();
  moyeo.lastError = undefined;
  moyeo.answers += 1;
  moyeo.truncated = answer.truncated === true;
  status.answer({
    clusters: clusters.length, sumOfCounts: markers.sumOfCounts,
    zoom: Math.round(map.getZoom() * 100) / 100,
    truncated: moyeo.truncated, lagMilliseconds: answer.lagMilliseconds, at: moyeo.lastAnswerAt,
  });
  status.mode(live.mode);
  status.notice(undefined);
  empty.say(clusters.length === 0 && modes.current === "explore",
    filter.tags.length > 0 || conditions.all.length > 0);
  moyeo.ready = true;
}

function failed(error) {
  moyeo.lastError = error.message;
  status.mode("error");
  const isAway = error.reason === "unreachable" && moyeo.lastAnswerAt !== undefined;
  const sentence = isAway ? t("staleSince", { time: time(moyeo.lastAnswerAt) }) : sentenceOf(error);
  // What is wrong with the token stands in the panel, with a way to change it.
  status.notice(identity.mayAsk ? sentence : undefined);
  if (error.reason === "unknown_layer") markers.clear();
}

/** A click, Enter or Space on a circle or an object. */
async function activate(cluster, element) {
  if (cluster.pointCount === 1) {
    if (layer === "parties" && moyeo.parties) return moyeo.parties.open(cluster.id);
    return details.openObject(layer, cluster, element);
  }
  if (cluster.coincident) return details.openMembers(layer, cluster, element);
  try {
    const zoom = cluster.expansionZoom
      ?? (await api.expansionZoom(layer, cluster.id)).expansionZoom;
    if (zoom === undefined) return details.openMembers(layer, cluster, element);
    map.closePopup();
    map.setView([cluster.latitude, cluster.longitude], Math.min(mapZoom(zoom), map.getMaxZoom()));
  } catch (error) {
    // Points moved on and the cluster is no more: show what there is now.
    if (error.status === 404) live.refresh();
    else failed(error);
  }
}

/** What is drawn and has no element of its own: beyond the first hundreds, and other worlds' copies. */
map.on("click", (event) => {
  if (event.isTaken || map.getContainer().classList.contains("picking")) return;
  const found = scene.pick(event.containerPoint);
  if (!found) return;
  event.isTaken = true;
  if (found.item) activate(found.item.cluster);
  else {
    const { light: id, latitude, longitude } = found;
    activate({ id, latitude, longitude, pointCount: 1 });
  }
});
let pointer;
const point = throttle(() => {
  const { classList } = map.getContainer();
  if (classList.contains("picking")) return;
  classList.toggle("over", scene.pick(pointer) !== undefined);
}, 60);
map.on("mousemove", ({ containerPoint }) => {
  pointer = containerPoint;
  point();
});

function writeAddress() {
  const { lat, lng } = map.getCenter().wrap();
  address.write({
    layer, tags: filter.tags, source: start.source, display: display.current, lang: start.lang,
    view: { latitude: lat, longitude: lng, zoom: map.getZoom() },
  });
}

/** Another layer or other filters. */
function follow() {
  if (!layer) return;
  markers.clear();
  map.closePopup();
  moyeo.ready = false;
  pace.forget();
  display.follow();
  live.follow(subject());
  search.again();
  status.objects(moyeo.objectCount);
  writeAddress();
}

async function showAll() {
  if (!layer) return;
  const world = { west: -180, south: -90, east: 180, north: 90, zoom: 0 };
  try {
    const { clusters } = await api.clusters(layer, world);
    const box = unionBounds(clusters);
    if (box) fitToFree(map, [[box.south, box.west], [box.north, box.east]]);
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
    const text = known ? `${name} (${count(known.objectCount)})` : t("layerNotYet", { name });
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
      placeNames();
      if (!layer) status.notice(t("noLayerYet"));
    }
  } catch (error) {
    failed(error);
  }
  setTimeout(pollLayers, layer ? layersIntervalMilliseconds : 1500);
}

byID("layer").addEventListener("change", (event) => {
  layer = event.target.value;
  conditions.clear();
  follow();
});
byID("show-all").addEventListener("click", showAll);
window.addEventListener("hashchange", () => {
  const next = address.read();
  if (next.view) map.setView([next.view.latitude, next.view.longitude], next.view.zoom);
  if (next.display) display.set(next.display);
  if (next.layer && (next.layer !== layer || String(next.tags) !== String(filter.tags))) {
    layer = next.layer;
    filter.replace(next.tags);
    drawLayers();
    follow();
  }
});
map.on("moveend", () => layer && writeAddress());
modes.onChange((mode) => {
  scene.dim(mode === "explore" ? 1 : fadedStrength);
  empty.say(false);
});

// Nothing is asked before it is known as whom.
const configuration = await api.pageConfig();
identity.begin(byID("auth-mode"), configuration.authMode);
const view = start.view ?? seoul;
map.setView([view.latitude, view.longitude], view.zoom);
addBaseMap(map, labels, configuration).catch(failed);
const placeNames = configuration.baseMapURL
  ? () => {} : addPlaceNames(map, labels, () => layers.some(({ name }) => name === "places"));
mountPanels({ map, scene, details, subject, sheet });
beginHelp(sheet);
document.documentElement.lang = language;
if (layer) {
  if (!start.view) await showAll();
  follow();
}
pollLayers();
