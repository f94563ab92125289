// Clusters as markers on MapLibre; see maplibre-tiles.js for vector tiles. In a page with MapLibre:
//   showClusters(maplibregl, "map", new Moyeo("https://moyeo.example"));
import { ViewportClusters } from "../moyeo.js";

export function showClusters(maplibregl, container, moyeo, layer = "users") {
  const map = new maplibregl.Map({ container, center: [126.9779, 37.5663], zoom: 11,
    style: "https://demotiles.maplibre.org/style.json" });
  const shown = new Map();

  function draw(clusters) {
    const gone = new Set(shown.keys());
    for (const { id, latitude, longitude, pointCount } of clusters) {
      gone.delete(id);
      // Ids are stable: what stays is moved, not drawn anew.
      const marker = shown.get(id) ?? new maplibregl.Marker({ element: document.createElement("b") });
      shown.set(id, marker);
      marker.getElement().textContent = pointCount;
      marker.setLngLat([longitude, latitude]).addTo(map);
    }
    for (const id of gone) {
      shown.get(id).remove();
      shown.delete(id);
    }
  }

  const viewport = new ViewportClusters(
    moyeo, { query: { layer }, onClusters: draw, onError: console.error, live: true });
  const look = () => {
    const bounds = map.getBounds();
    // MapLibre's zooms count tiles of 512 pixels.
    viewport.show({ west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(),
      north: bounds.getNorth(), zoom: map.getZoom() + 1 });
  };
  map.on("moveend", look).on("load", look);
  return viewport;
}
