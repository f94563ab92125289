// What lies under the clusters: the operator's tiles, or our own outline.

import { api } from "./api.js";
import { addGraticuleLabels } from "./graticule.js";
import { addOutlineNames, OutlineLayer, prepare } from "./outline.js";
import { VectorTileLayer } from "./vectortiles.js";

const L = window.L;
/** Zooms at which the daemon tells of roads. */
const roadZooms = [14, 18];

/** @param labels shows names; @param configuration as `page-config.json` has it. */
export async function addBaseMap(map, labels, configuration) {
  const { baseMapURL, attribution, vectorBaseMap, roadsURL } = configuration;
  if (baseMapURL) {
    const maxNativeZoom = vectorBaseMap ? 14 : 19;
    const options = { attribution, maxZoom: map.getMaxZoom(), maxNativeZoom };
    const layer = vectorBaseMap
      ? new VectorTileLayer(baseMapURL, options)
      : L.tileLayer(baseMapURL, options);
    layer.addTo(map);
    return;
  }
  const features = prepare(await api.outline());
  new OutlineLayer(features).addTo(map);
  addOutlineNames(map, features, labels);
  addGraticuleLabels(map);
  if (roadsURL) addRoads(map);
}

/** The roads of the daemon's own network, over the outline and under everything else. */
function addRoads(map) {
  const pane = map.createPane("roads");
  pane.style.zIndex = "250";
  pane.style.pointerEvents = "none";
  const [least, most] = roadZooms;
  new VectorTileLayer("", {
    pane: "roads", minZoom: least, maxZoom: map.getMaxZoom(), maxNativeZoom: most, isOverlay: true,
    read: (tile, signal) => api.roadTile(tile, signal),
  }).addTo(map);
}
