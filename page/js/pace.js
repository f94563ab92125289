// How much happens: changes a second of what is on the map, and what the daemon says of answers that
// several callers shared.

import { api } from "./api.js";
import { identity } from "./token.js";

const windowMilliseconds = 10_000;
const metricsMilliseconds = 5000;

export class Pace {
  #changes = [];
  #known = new Map();
  #status;
  #isRefused = false;

  constructor(status) {
    this.#status = status;
    this.#poll();
  }

  /** Counts what differs from the answer before, while the view stood still. */
  answered(clusters, { live }) {
    let changed = 0;
    const now = new Map();
    for (const { id, pointCount, latitude, longitude } of clusters) {
      const state = `${pointCount} ${latitude} ${longitude}`;
      now.set(id, state);
      if (this.#known.get(id) !== state) changed += 1;
    }
    for (const id of this.#known.keys()) if (!now.has(id)) changed += 1;
    this.#known = now;
    if (live) this.count(changed);
    else this.#changes = [];
  }

  /** Takes changes that were told one by one. */
  count(changed) {
    this.#changes.push({ at: performance.now(), changed });
    this.#show();
  }

  forget() {
    this.#known = new Map();
    this.#changes = [];
  }

  #show() {
    const from = performance.now() - windowMilliseconds;
    this.#changes = this.#changes.filter(({ at }) => at >= from);
    const first = this.#changes[0];
    if (!first) return this.#status.updates(0);
    const seconds = Math.max(1, (performance.now() - first.at) / 1000);
    this.#status.updates(this.#changes.reduce((sum, one) => sum + one.changed, 0) / seconds);
  }

  async #poll() {
    try {
      // A person's token may not read the daemon's figures: it is not even asked.
      if (!document.hidden && !this.#isRefused && !identity.isPerson && identity.mode === "open") {
        const text = await api.metrics();
        this.#isRefused = text === undefined;
        this.#status.shared(text === undefined ? undefined : sharedShare(text));
      }
    } catch {
      // The daemon is away: the map says so.
    }
    setTimeout(() => this.#poll(), metricsMilliseconds);
  }
}

/** Of reads and tiles that may be shared, those that another's computation served. */
export function sharedShare(text) {
  const value = (name) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? ([0-9.e+]+)$`, "m").exec(text)?.[1] ?? 0);
  const saved = value("moyeo_shared_reads_joined_total") + value("moyeo_kept_answers_hits_total")
    + value("moyeo_kept_tiles_hits_total");
  const worked = value("moyeo_shared_reads_worked_out_total")
    + value("moyeo_kept_tiles_misses_total");
  return saved + worked === 0 ? undefined : saved / (saved + worked);
}
