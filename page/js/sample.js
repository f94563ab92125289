// A sample of what is in view, from all over it: fine clusters say how many are where, and of each
// part as many are asked for as its share.

import { api } from "./api.js";
import { clusterZoom, viewportBox } from "./viewport.js";

/** So many objects are taken as they are; of more, about as many from all over the view. */
const sampleSize = 500;
/** Where a sample is taken: a question of one batch each. */
const places = 100;
const objectsAPlace = sampleSize / places;
/** Parts that the view falls into before places are drawn from them. */
const [fewestParts, mostParts] = [100, 3000];
const [deepestZoom, mostTries] = [20, 5];
const bands = 16;

/** Clusters band by band from the south, to and fro, so that neighbours follow one another. */
function inBands(clusters) {
  const latitudes = clusters.map(({ latitude }) => latitude);
  const south = Math.min(...latitudes);
  const height = (Math.max(...latitudes) - south) / bands || 1;
  const bandOf = ({ latitude }) => Math.min(bands - 1, Math.floor((latitude - south) / height));
  return clusters.map((cluster) => ({ cluster, band: bandOf(cluster) }))
    .sort((a, b) => a.band - b.band
      || (a.cluster.longitude - b.cluster.longitude) * (a.band % 2 === 0 ? 1 : -1))
    .map(({ cluster }) => cluster);
}

/**
 * Draws places out of clusters, each as often as its share of all objects: `[{latitude, longitude,
 * draws}]`. Every so manieth object is drawn, in an order in which neighbours stand together: each
 * part of the view has its share, and the same clusters give the same places.
 */
export function draw(clusters, wanted) {
  const step = sumOf(clusters) / wanted;
  let [passed, drawn] = [0, 0];
  const found = [];
  for (const { latitude, longitude, pointCount } of inBands(clusters)) {
    passed += pointCount;
    const before = drawn;
    while (drawn < wanted && (drawn + 0.5) * step < passed) drawn += 1;
    if (drawn > before) found.push({ latitude, longitude, draws: drawn - before });
  }
  return found;
}

const sumOf = (clusters) => clusters.reduce((sum, { pointCount }) => sum + pointCount, 0);

function holds({ west, south, east, north }, { latitude, longitude }) {
  const isBetween = west <= east
    ? west <= longitude && longitude <= east : west <= longitude || longitude <= east;
  return south <= latitude && latitude <= north && isBetween;
}

export class ViewSample {
  #map;
  /** Zooms below the map's own at which the view falls into enough parts; found by trying. */
  #depth = 2;

  constructor(map) {
    this.#map = map;
  }

  /**
   * What is in view: `{objects, total, isWhole}`, where `isWhole` says that no object is missing.
   * @param subject the layer, with the filters on tags and attributes.
   */
  async take({ layer, tags, where }) {
    const box = viewportBox(this.#map);
    const parts = await this.#parts(layer, { ...box, tags, where });
    if (sumOf(parts) <= sampleSize) {
      const { hits, nextCursor } = await api.within(layer, { ...box, tags, where, limit: sampleSize });
      // Unless more have come in between.
      if (nextCursor === undefined) return { objects: hits, total: hits.length, isWhole: true };
    }
    const requests = draw(parts, places).map(({ draws, ...place }) => ({
      ...place, tags, where: where?.map((one) => JSON.parse(one)), limit: draws * objectsAPlace,
    }));
    const { responses } = await api.nearbyBatch(layer, requests);
    const found = new Map();
    for (const { body } of responses) {
      for (const hit of body?.hits ?? []) if (holds(box, hit)) found.set(hit.id, hit);
    }
    return { objects: [...found.values()], total: sumOf(parts), isWhole: false };
  }

  /** Clusters of the view, so fine that none holds much of it. */
  async #parts(layer, query) {
    for (let tries = 1; ; tries++) {
      const zoom = Math.min(deepestZoom, clusterZoom(this.#map) + this.#depth);
      const { clusters, truncated } = await api.clusters(layer, { ...query, zoom, limit: mostParts });
      const isFew = !truncated && sumOf(clusters) <= sampleSize;
      if (isFew || tries === mostTries) return clusters;
      if (truncated && this.#depth > 0) this.#depth -= 2;
      else if (clusters.length < fewestParts && zoom < deepestZoom) this.#depth += 2;
      else return clusters;
    }
  }
}

/** `[{tag, count}]` of objects, the most frequent first. */
export function tagsOf(objects) {
  const counts = new Map();
  for (const { tags = [] } of objects) {
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts].map(([tag, count]) => ({ tag, count }))
    .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1));
}
