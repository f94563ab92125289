// Names of places over the map at street zoom, where no base map says them: from the layer of places,
// if there is one.

import { api } from "./api.js";
import { make } from "./elements.js";
import { language } from "./language.js";
import { throttle } from "./throttle.js";
import { viewportBox } from "./viewport.js";

const L = window.L;
const layer = "places";
const leastZoom = 13;
const mostNames = 60;
const spacingPixels = [96, 26];

/** Keeps the names of a map current. @param isThere says whether there is a layer of places. */
export function addPlaceNames(map, isThere) {
  const pane = map.createPane("placenames");
  pane.style.zIndex = "350";
  pane.style.pointerEvents = "none";
  const drawn = L.layerGroup().addTo(map);
  let question = 0;
  const draw = throttle(async () => {
    const mine = ++question;
    if (map.getZoom() < leastZoom || !isThere()) return drawn.clearLayers();
    try {
      const { hits } = await api.within(layer, { ...viewportBox(map), limit: 200 });
      if (mine !== question) return;
      drawn.clearLayers();
      for (const place of apart(map, hits)) drawn.addLayer(label(place));
    } catch {
      // Names are for orientation only.
    }
  }, 800);
  map.on("moveend", draw);
  return draw;
}

const nameOf = ({ attributes = {} }) =>
  (language === "ko" ? attributes.name : attributes.name_en ?? attributes.name);

function apart(map, places) {
  const kept = [];
  for (const place of places) {
    if (!nameOf(place) || kept.length === mostNames) continue;
    const at = map.latLngToContainerPoint([place.latitude, place.longitude]);
    const isFree = kept.every(({ x, y }) =>
      Math.abs(x - at.x) > spacingPixels[0] || Math.abs(y - at.y) > spacingPixels[1]);
    if (isFree) kept.push({ x: at.x, y: at.y, place });
  }
  return kept.map(({ place }) => place);
}

function label(place) {
  const icon = L.divIcon({
    className: `place-name ${place.attributes.category === "station" ? "station" : ""}`,
    html: make("span", {}, nameOf(place)), iconSize: [0, 0],
  });
  return L.marker([place.latitude, place.longitude],
    { icon, pane: "placenames", interactive: false, keyboard: false });
}
