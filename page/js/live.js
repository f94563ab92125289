// Keeps the clusters of the viewport current: asks after each move, listens for changed tiles, or
// polls where the daemon cannot tell. The newest answer always wins.

import { api } from "./api.js";
import { throttle } from "./throttle.js";
import { identity } from "./token.js";
import { clusterZoom, viewportBox } from "./viewport.js";

const moveIntervalMilliseconds = 250;
const liveIntervalMilliseconds = 500;
const pollIntervalMilliseconds = 2000;
/** Even with a stream, ask again this often, so that a silently dead stream is noticed. */
const idleIntervalMilliseconds = 15_000;
const reconnectMilliseconds = 30_000;
/** More circles than this would bring no page to its knees, but serve nobody. */
const markerLimit = 3000;

export class LiveClusters {
  #map;
  #layer;
  #tags = [];
  #where;
  #read;
  #onAnswer;
  #onError;
  #sequence = 0;
  #shown = 0;
  #subject = 0;
  #inFlight = new Map();
  #stream;
  #streamKey;
  #streamRetryAt = 0;
  #timer = 0;
  #dirty = false;
  #answeredView;
  #moved;
  #listen;
  #live;

  /** `stream`, `poll` or `paused`. */
  mode = "paused";

  /** Whether what is shown is the answer about what the map shows now. */
  get isCurrent() {
    return this.#answeredView === this.#view;
  }

  get #view() {
    return JSON.stringify([this.#subject, viewportBox(this.#map), clusterZoom(this.#map)]);
  }

  /** @param read answers `(layer, query, signal)` with the clusters of a viewport. */
  constructor(map, read, onAnswer, onError) {
    this.#map = map;
    this.#read = read;
    this.#onAnswer = onAnswer;
    this.#onError = onError;
    this.#moved = throttle(() => this.#ask(false), moveIntervalMilliseconds);
    this.#live = throttle(() => this.#refresh(), liveIntervalMilliseconds);
    this.#listen = throttle(() => this.#connect(), 2 * moveIntervalMilliseconds);
    map.on("move", () => this.#layer && this.#moved());
    map.on("moveend zoomend resize", () => {
      if (!this.#layer) return;
      this.#moved();
      this.#listen();
    });
    document.addEventListener("visibilitychange", () => this.#visibility());
  }

  /** Another layer or other tags: nothing of the old subject is shown after this. */
  follow({ layer, tags, where }) {
    this.#layer = layer;
    this.#tags = tags;
    this.#where = where;
    this.#subject += 1;
    this.#streamRetryAt = 0;
    for (const request of this.#inFlight.values()) request.abort();
    this.#ask(false);
    this.#listen();
  }

  /** Asks now, whatever the throttle says. */
  refresh() {
    if (this.#layer) this.#ask(true);
  }

  // One live request at a time; what changes meanwhile is asked for when it returns.
  #refresh() {
    if (!this.#layer || document.hidden) return;
    if (this.#inFlight.size > 0) this.#dirty = true;
    else this.#ask(true);
  }

  async #ask(live) {
    clearTimeout(this.#timer);
    this.#dirty = false;
    const sequence = ++this.#sequence;
    const subject = this.#subject;
    const zoom = clusterZoom(this.#map);
    const view = this.#view;
    const abort = new AbortController();
    // Of earlier requests only those for this very zoom are still worth showing.
    for (const [other, request] of this.#inFlight) if (request.zoom !== zoom) request.abort();
    abort.zoom = zoom;
    this.#inFlight.set(sequence, abort);
    try {
      const query = { ...viewportBox(this.#map), zoom, tags: this.#tags, where: this.#where,
        limit: markerLimit };
      const answer = await this.#read(this.#layer, query, abort.signal);
      // An older answer never replaces a newer one, nor one of another zoom the present one's.
      const current = sequence > this.#shown && subject === this.#subject
        && zoom === clusterZoom(this.#map);
      if (current) {
        this.#shown = sequence;
        this.#answeredView = view;
        this.#onAnswer(answer, { live, zoom });
      }
    } catch (error) {
      const stale = error.name === "AbortError" || error.reason === "superseded";
      if (!stale && sequence > this.#shown && subject === this.#subject) this.#onError(error);
    } finally {
      this.#inFlight.delete(sequence);
      if (this.#inFlight.size === 0) this.#rest();
    }
  }

  /** Plans the next question once nothing is on its way. */
  #rest() {
    clearTimeout(this.#timer);
    if (!this.#layer || document.hidden) return;
    if (this.#dirty) return this.#live();
    const wait = this.mode === "stream" ? idleIntervalMilliseconds : pollIntervalMilliseconds;
    this.#timer = setTimeout(() => {
      if (this.mode !== "stream" && performance.now() >= this.#streamRetryAt) this.#connect();
      this.#ask(true);
    }, wait);
  }

  #connect() {
    if (!this.#layer || document.hidden || !identity.mayAsk) return;
    const query = {
      ...viewportBox(this.#map), zoom: clusterZoom(this.#map),
      intervalMilliseconds: liveIntervalMilliseconds,
    };
    const key = JSON.stringify([this.#layer, query]);
    if (key === this.#streamKey && this.#stream?.readyState < EventSource.CLOSED) return;
    if (performance.now() < this.#streamRetryAt) return;
    this.#disconnect();
    const stream = api.watchTiles(this.#layer, query);
    this.#stream = stream;
    this.#streamKey = key;
    stream.addEventListener("open", () => {
      if (stream !== this.#stream) return;
      this.mode = "stream";
    });
    const changed = () => stream === this.#stream && this.#live();
    stream.addEventListener("changed", changed);
    stream.addEventListener("reset", changed);
    stream.addEventListener("error", () => {
      if (stream !== this.#stream) return;
      this.mode = "poll";
      // A broken connection is opened again by the browser; a refusal is final for a while.
      if (stream.readyState === EventSource.CLOSED) {
        this.#streamRetryAt = performance.now() + reconnectMilliseconds;
        this.#disconnect();
      }
      if (this.#inFlight.size === 0) this.#rest();
    });
  }

  #disconnect() {
    this.#stream?.close();
    this.#stream = undefined;
    this.#streamKey = undefined;
    if (this.mode === "stream") this.mode = "poll";
  }

  #visibility() {
    if (document.hidden) {
      clearTimeout(this.#timer);
      this.#disconnect();
      this.mode = "paused";
    } else if (this.#layer) {
      this.mode = "poll";
      this.#connect();
      this.#ask(false);
    }
  }
}
