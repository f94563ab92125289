// What lies under the clusters: the operator's tiles, or our own outline.

import { api } from "./api.js";
import { addGraticuleLabels } from "./graticule.js";
import { OutlineLayer, prepare } from "./outline.js";
import { VectorTileLayer } from "./vectortiles.js";

const L = window.L;

/** Says where nobody is asked who they are, and where this page, which has no token, is told nothing. */
function showAuthMode(mode) {
  const note = document.getElementById("auth-mode");
  const text = {
    open: "Open mode: everybody on this machine may do everything.",
    tokens: "This service asks for a token, which this page does not have.",
  }[mode];
  if (!note || !text) return;
  note.textContent = text;
  note.hidden = false;
}

export async function addBaseMap(map) {
  const { baseMapURL, attribution, vectorBaseMap, authMode } = await api.pageConfig();
  showAuthMode(authMode);
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
