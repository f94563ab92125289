// The layer's own vector tiles as a source of clusters: what a MapLibre or native map would draw,
// shown in Leaflet. Chosen by `source=tiles` in the address; the browser's cache revalidates each
// tile by its ETag, so an unchanged one is not sent again.

import { api } from "./api.js";
import { readTile } from "./mvt.js";
import { latitudeAt, project } from "./outline.js";

/** Never more tiles than this for one view. */
const mostTiles = 120;

/** Addresses of the tiles that a box touches; a box with west > east crosses 180 degrees. */
export function tilesIn({ west, south, east, north, zoom }) {
  const side = 2 ** zoom;
  const column = (longitude) => Math.floor((longitude / 360 + 0.5) * side);
  const [first, last] = [column(west), column(east < west ? east + 360 : east)];
  const top = Math.floor(project([0, north])[1] * side);
  const bottom = Math.min(side - 1, Math.floor(project([0, south])[1] * side));
  const tiles = [];
  for (let y = Math.max(0, top); y <= bottom; y++) {
    for (let x = first; x <= Math.min(last, first + side - 1); x++) {
      tiles.push({ zoom, x: ((x % side) + side) % side, y });
    }
  }
  return tiles;
}

/** The same shape as GetClusters' answer. */
export async function clustersFromTiles(layer, query, signal) {
  const tiles = tilesIn(query);
  const read = tiles.slice(0, mostTiles).map(async (tile) => {
    const bytes = await api.tile(layer, tile, { tags: query.tags, where: query.where }, signal);
    return readTile(bytes).flatMap((one) => one.features.map((f) => cluster(f, one.extent, tile)));
  });
  const seen = new Set();
  const clusters = (await Promise.all(read)).flat().filter((one) => {
    // A tile's margin repeats its neighbours' features.
    if (!one || seen.has(one.id)) return false;
    seen.add(one.id);
    return true;
  });
  return { clusters, zoom: query.zoom, truncated: tiles.length > mostTiles };
}

function cluster({ properties, paths }, extent, { zoom, x, y }) {
  const [px, py] = paths[0]?.[0] ?? [];
  if (!(px >= 0 && px < extent && py >= 0 && py < extent)) return undefined;
  const side = 2 ** zoom;
  const place = {
    longitude: ((x + px / extent) / side - 0.5) * 360,
    latitude: latitudeAt((y + py / extent) / side),
  };
  if (properties.cluster) {
    const { cluster_id: id, point_count: pointCount, coincident } = properties;
    return { id, ...place, pointCount, coincident };
  }
  const { id, tags, ...attributes } = properties;
  return { id, ...place, pointCount: 1, tags: tags ? JSON.parse(tags) : [], attributes };
}
