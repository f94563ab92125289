// What lies under the clusters: the operator's tiles, or our own outline.

import { api } from "./api.js";
import { addGraticuleLabels } from "./graticule.js";
import { OutlineLayer, prepare } from "./outline.js";
import { VectorTileLayer } from "./vectortiles.js";

const L = window.L;

/** @param configuration as `page-config.json` has it. */
export async function addBaseMap(map, { baseMapURL, attribution, vectorBaseMap }) {
  if (baseMapURL) {
    const maxNativeZoom = vectorBaseMap ? 14 : 19;
    const options = { attribution, maxZoom: map.getMaxZoom(), maxNativeZoom };
    const layer = vectorBaseMap
      ? new VectorTileLayer(baseMapURL, options)
      : L.tileLayer(baseMapURL, options);
    layer.addTo(map);
    return;
  }
  new OutlineLayer(prepare(await api.outline())).addTo(map);
  addGraticuleLabels(map);
}
