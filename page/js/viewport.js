// A map's viewport as the box the daemon asks for, and longitudes as the map shows them.

/** Mercator ends here; a viewport that reaches it means all the way to the pole. */
const mercatorLimit = 85.05;
/** Markers just outside the edge still reach into view. */
const marginPixels = 24;

/**
 * The zoom whose clusters suit the map: the service counts zooms by tiles of 512 pixels, Leaflet
 * by tiles of 256.
 */
export const clusterZoom = (map) => Math.max(0, Math.round(map.getZoom()) - 1);

/** The map's zoom for one of the service, such as an expansion zoom. */
export const mapZoom = (clusterZoom) => clusterZoom + 1;

const wrap = (longitude) => longitude - 360 * Math.floor((longitude + 180) / 360);

/**
 * Edges in degrees; `west > east` crosses 180 degrees.
 * @param margin how much beyond each edge, as a share of the view.
 */
export function viewportBox(map, margin = 0) {
  const size = map.getSize();
  const [dx, dy] = [marginPixels + margin * size.x, marginPixels + margin * size.y];
  const { lat: north, lng: west } = map.containerPointToLatLng([-dx, -dy]);
  const { lat: south, lng: east } = map.containerPointToLatLng([size.x + dx, size.y + dy]);
  const whole = east - west >= 360;
  const round = (degrees) => Math.round(degrees * 1e7) / 1e7;
  return {
    west: whole ? -180 : round(wrap(west)),
    south: south <= -mercatorLimit ? -90 : round(south),
    east: whole ? 180 : round(wrap(east)),
    north: north >= mercatorLimit ? 90 : round(north),
  };
}

/** The copy of the world that shows this longitude nearest to `centre`. */
export const nearestCopy = (longitude, centre) =>
  longitude + 360 * Math.round((centre - longitude) / 360);

/** The smallest of the boxes that holds all clusters, going east from `west`; may pass 180. */
export function unionBounds(clusters) {
  let south = 90;
  let north = -90;
  const spans = [];
  for (const { latitude, longitude, bounds } of clusters) {
    south = Math.min(south, bounds?.south ?? latitude);
    north = Math.max(north, bounds?.north ?? latitude);
    const west = bounds?.west ?? longitude;
    const east = bounds?.east ?? longitude;
    spans.push([west, east < west ? east + 360 : east]);
  }
  if (spans.length === 0) return undefined;
  spans.sort((a, b) => a[0] - b[0]);
  // The widest gap between spans is what stays outside.
  let reach = spans[0][1];
  let [west, gap] = [spans[0][0], -Infinity];
  let east = reach;
  for (const [start, end] of spans.slice(1)) {
    if (start - reach > gap) [gap, west, east] = [start - reach, start, reach + 360];
    reach = Math.max(reach, end);
  }
  if (spans[0][0] + 360 - reach >= gap) [west, east] = [spans[0][0], reach];
  return { west, south, east, north };
}
