// Clusters on a Kakao map. The page loads Kakao's SDK with your key, then this module:
//   showClusters(kakao, document.getElementById("map"), new Moyeo("https://moyeo.example"));
import { ViewportClusters } from "../moyeo.js";

export function showClusters(kakao, element, moyeo, layer = "users") {
  const { maps } = kakao;
  const map = new maps.Map(element, { center: new maps.LatLng(37.5663, 126.9779), level: 7 });
  const shown = new Map();

  function draw(clusters) {
    const gone = new Set(shown.keys());
    for (const { id, latitude, longitude, pointCount } of clusters) {
      gone.delete(id);
      // Ids are stable: what stays is moved, not drawn anew.
      const marker = shown.get(id) ?? new maps.CustomOverlay({ map, content: element.ownerDocument.createElement("b") });
      shown.set(id, marker);
      marker.getContent().textContent = pointCount;
      marker.setPosition(new maps.LatLng(latitude, longitude));
    }
    for (const id of gone) {
      shown.get(id).setMap(null);
      shown.delete(id);
    }
  }

  const viewport = new ViewportClusters(
    moyeo, { query: { layer }, onClusters: draw, onError: console.error, live: true });
  const look = () => {
    const [southWest, northEast] = [map.getBounds().getSouthWest(), map.getBounds().getNorthEast()];
    viewport.show({ south: southWest.getLat(), west: southWest.getLng(), north: northEast.getLat(),
      // A pixel is a meter at Kakao's level 3, and twice as much at each further one.
      east: northEast.getLng(), metersPerPixel: 2 ** (map.getLevel() - 3) });
  };
  maps.event.addListener(map, "idle", look);
  look();
  return viewport;
}
