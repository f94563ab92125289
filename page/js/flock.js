// Clusters and single objects on their way: each eases from where it stood to where it stands, falls
// out of the cluster it was in and into the one it joins. Positions are in units of the world's
// width (see outline.js).

import { abbreviate } from "./format.js";
import { radiusOf, separate } from "./layout.js";
import { project } from "./outline.js";

const liveSeconds = 0.9;
const zoomSeconds = 0.42;
const fadeSeconds = 0.3;
/** Further than this on the screen nothing came out of another, or went into it. */
const kinPixels = 110;
/** Beyond so many pairs kinship is not worth its time. */
const kinPairs = 600_000;
const streetZoom = 15;
const pulsesAnAnswer = 4;

const ease = (t) => (t <= 0 ? 0 : t >= 1 ? 1 : 1 - (1 - t) ** 3);
const near = (x, centre) => x + Math.round(centre - x);

/** An object's own id may look like a cluster's: never mix the two. */
export const keyOf = ({ id, pointCount }) => `${pointCount === 1 ? "o" : "c"}${id}`;

/** `single`, `stack` (at one position), or `tier-0` ... `tier-4` by the count. */
export function kindOf({ pointCount, coincident }) {
  if (pointCount === 1) return "single";
  if (coincident) return "stack";
  return `tier-${Math.min(4, Math.floor(Math.log10(pointCount)))}`;
}

/** Row of the glyph atlas, by how large the number is written. */
const rowOf = (pointCount) => Math.min(3, Math.floor(Math.log10(pointCount)));

function phaseOf(key) {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) % 6283;
  return hash / 1000;
}

export class Flock {
  #items = new Map();
  #zoom;
  #glyphs;
  #sparks;

  /** @param glyphs says how wide numbers are; @param sparks takes pulses and trails. */
  constructor(glyphs, sparks) {
    this.#glyphs = glyphs;
    this.#sparks = sparks;
  }

  get items() {
    return [...this.#items.values()].filter(({ isGone }) => !isGone);
  }

  /** Where the clusters of an answer stand at a map's zoom. */
  #place(clusters, scale, centre) {
    const items = clusters.map((cluster) => {
      const [x, y] = project([cluster.longitude, cluster.latitude]);
      const kind = kindOf(cluster);
      const text = cluster.pointCount > 1 ? abbreviate(cluster.pointCount) : "";
      const row = rowOf(cluster.pointCount);
      const least = text ? this.#glyphs.width(text, row) / 2 + 3 : 4;
      return {
        cluster, kind, text, row, x: near(x, centre) * scale, y: y * scale,
        radius: Math.max(radiusOf(cluster), least), least,
        mass: cluster.pointCount === 1 ? 0 : Math.log2(cluster.pointCount + 1),
      };
    });
    if (items.some(({ mass }) => mass > 0)) separate(items);
    for (const item of items) {
      item.x /= scale;
      item.y /= scale;
    }
    return items;
  }

  /**
   * Takes an answer.
   * @param zoom the map's zoom that the answer is for; @param centre of the view, in world units.
   * @param live whether it tells of changes while the view stood still.
   * @param seconds the present moment; @param isStill whether nothing may move.
   */
  show(clusters, { zoom, centre, live, seconds, isStill }) {
    const scale = 256 * 2 ** zoom;
    const items = this.#place(clusters, scale, centre);
    const before = [...this.#items.values()].filter(({ isGone }) => !isGone);
    const coarser = 256 * 2 ** Math.min(zoom, this.#zoom ?? zoom);
    const kinOf = this.#kinship(before.length * items.length, coarser);
    const duration = isStill ? 0 : live && this.#zoom === zoom ? liveSeconds : zoomSeconds;
    const shown = new Set();
    const changed = [];
    for (const item of items) {
      const key = keyOf(item.cluster);
      shown.add(key);
      const known = this.#items.get(key);
      if (known && !known.isGone) {
        if (this.#update(known, item, seconds, duration, live)) changed.push(known);
        continue;
      }
      const kin = kinOf(item, before);
      const from = kin ? this.at(kin, seconds) : { x: item.x, y: item.y };
      const entry = {
        ...item, key, phase: phaseOf(key), began: seconds, duration,
        fromX: near(from.x, item.x), fromY: from.y, fromRadius: kin ? item.radius * 0.7 : 0,
        fromAlpha: isStill ? 1 : kin ? 0.6 : 0, alpha: 1,
      };
      this.#items.set(key, entry);
      if (live && before.length > 0) changed.push(entry);
    }
    for (const item of before) {
      if (!shown.has(item.key)) this.#leave(item, kinOf(item, items), seconds, isStill ? 0 : duration);
    }
    this.#zoom = zoom;
    if (!isStill && live) this.#tell(changed, zoom, seconds);
    return duration;
  }

  clear() {
    this.#items.clear();
  }

  /** Whether there is something to tell of. */
  #update(known, item, seconds, duration, live) {
    const isMoved = known.x !== item.x || known.y !== item.y;
    // On its way there already: it goes on as it was.
    if (!isMoved && known.radius === item.radius && known.cluster.pointCount === item.cluster.pointCount) {
      known.cluster = item.cluster;
      return false;
    }
    const now = this.at(known, seconds);
    const isChanged = known.cluster.pointCount !== item.cluster.pointCount
      || (known.kind === "single" && isMoved);
    Object.assign(known, {
      ...item, fromX: near(now.x, item.x), fromY: now.y, fromRadius: now.radius,
      fromAlpha: now.alpha, alpha: 1, began: seconds, duration,
    });
    return live && isChanged;
  }

  #leave(item, kin, seconds, duration) {
    if (duration === 0) return this.#items.delete(item.key);
    const now = this.at(item, seconds);
    Object.assign(item, {
      isGone: true, fromX: now.x, fromY: now.y, fromRadius: now.radius, fromAlpha: now.alpha,
      began: seconds, duration: kin ? duration : fadeSeconds, alpha: 0,
    });
    if (kin) {
      item.x = near(kin.x, now.x);
      item.y = kin.y;
    } else {
      item.radius *= 0.5;
    }
  }

  /** Which of others something falls out of or into: the nearest that may hold it. */
  #kinship(pairs, scale) {
    if (pairs > kinPairs) return () => undefined;
    return (item, others) => {
      let [best, least] = [undefined, kinPixels];
      const count = item.cluster.pointCount;
      for (const other of others) {
        if (other.cluster.pointCount <= count) continue;
        const distance = Math.hypot(near(other.x, item.x) - item.x, other.y - item.y) * scale;
        if (distance < least) [best, least] = [other, distance];
      }
      return best;
    };
  }

  #tell(changed, zoom, seconds) {
    const isStreet = zoom >= streetZoom;
    const told = changed.length <= pulsesAnAnswer ? changed
      // Another few each time, so that the eye wanders over the whole city.
      : changed.sort(() => Math.random() - 0.5).slice(0, pulsesAnAnswer);
    for (const item of told) {
      if (item.kind !== "single" || isStreet) {
        this.#sparks.pulse(item.x, item.y, item.radius, item.kind, seconds);
      }
    }
    if (!isStreet) return;
    for (const item of changed) {
      if (item.kind === "single" && item.fromAlpha > 0) {
        this.#sparks.trail(item.fromX, item.fromY, item.x, item.y, seconds, item.duration);
      }
    }
  }

  /** `{x, y, radius, alpha}` at a moment. */
  at(item, seconds) {
    const t = item.duration ? ease((seconds - item.began) / item.duration) : 1;
    const mix = (a, b) => a + (b - a) * t;
    return {
      x: mix(item.fromX, item.x), y: mix(item.fromY, item.y),
      radius: mix(item.fromRadius, item.radius), alpha: mix(item.fromAlpha, item.alpha),
    };
  }

  /** Calls `draw(item, {x, y, radius, alpha})` for each, the largest first. */
  each(seconds, draw) {
    const all = [...this.#items.values()].sort((a, b) => b.radius - a.radius);
    for (const item of all) {
      if (item.isGone && seconds >= item.began + item.duration) this.#items.delete(item.key);
      else draw(item, this.at(item, seconds));
    }
  }
}
