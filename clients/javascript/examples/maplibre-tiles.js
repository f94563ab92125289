// A layer as vector tiles on MapLibre. In a page with MapLibre:
//   await showTiles(maplibregl, "map", new Moyeo("https://moyeo.example", { token: getToken }));
export async function showTiles(maplibregl, container, moyeo, layer = "users") {
  await moyeo.ready();
  const map = new maplibregl.Map({
    container, center: [126.9779, 37.5663], zoom: 11,
    style: "https://demotiles.maplibre.org/style.json",
    // The token goes into a header of what is asked of Moyeo, and nowhere else.
    transformRequest: (url) => moyeo.transformRequest(url) });
  map.on("load", () => {
    map.addSource(layer, { type: "vector", url: moyeo.tileJSONURL(layer) });
    map.addLayer({ id: layer, type: "circle", source: layer, "source-layer": layer, paint: {
      "circle-color": "#2563eb", "circle-opacity": 0.7,
      "circle-radius": ["interpolate", ["linear"], ["coalesce", ["get", "point_count"], 1],
        1, 5, 100, 18, 10_000, 36] } });
    map.addLayer({ id: `${layer}-counts`, type: "symbol", source: layer, "source-layer": layer,
      layout: { "text-field": ["get", "point_count_abbreviated"], "text-size": 12 } });
  });
  return map;
}
