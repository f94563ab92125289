// Names of places over the map at street zoom, where no base map says them: from the layer of places,
// if there is one.

import { api } from "./api.js";
import { language } from "./language.js";
import { throttle } from "./throttle.js";
import { viewportBox } from "./viewport.js";

const layer = "places";
const leastZoom = 13;
const mostNames = 60;
const spacingPixels = [96, 26];

/** Keeps the names of places current. @param isThere says whether there is a layer of places. */
export function addPlaceNames(map, labels, isThere) {
  let question = 0;
  const draw = throttle(async () => {
    const mine = ++question;
    if (map.getZoom() < leastZoom || !isThere()) return labels.show(layer, []);
    try {
      const { hits } = await api.within(layer, { ...viewportBox(map), limit: 200 });
      if (mine !== question) return;
      labels.show(layer, apart(map, hits).map(named));
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

const named = (place) => ({
  text: nameOf(place), latitude: place.latitude, longitude: place.longitude,
  className: place.attributes.category === "station" ? "place-name station" : "place-name",
});
