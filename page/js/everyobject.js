// Every object of the view as a point of its own, told by a watch of the view: who is there, who
// moves, who leaves. A hundred thousand are no trouble to draw.

import { api } from "./api.js";
import { project } from "./outline.js";
import { throttle } from "./throttle.js";
import { viewportBox } from "./viewport.js";

const listenMilliseconds = 600;
/** Moves are told this often, and each point is on its way as long. */
const intervalMilliseconds = 1000;
const marginShare = 0.25;

export class EveryObject {
  #map;
  #scene;
  #subject;
  #stream;
  #box;
  #isOn = false;
  #seen;
  #listens = throttle(() => this.#listen(), listenMilliseconds);
  /** What was told since the page looked last. */
  changes = 0;

  constructor(map, scene, subject) {
    this.#map = map;
    this.#scene = scene;
    this.#subject = subject;
    map.on("moveend resize", () => this.#isOn && !this.#holds() && this.#listens());
    document.addEventListener("visibilitychange", () => {
      if (!this.#isOn) return;
      if (document.hidden) this.#close();
      else this.#listen();
    });
  }

  set isOn(on) {
    this.#isOn = on;
    this.#scene.picksLights = on;
    this.#close();
    this.#scene.lights.clear();
    this.#scene.lights.durationSeconds = intervalMilliseconds / 1000;
    if (on) this.#listens();
  }

  /** Another layer, other tags. */
  again() {
    if (!this.#isOn) return;
    this.#close();
    this.#scene.lights.clear();
    this.#listens();
  }

  #close() {
    this.#stream?.close();
    this.#stream = undefined;
    this.#box = undefined;
  }

  /** Whether what is watched holds the view, and not ten times as much. */
  #holds() {
    const bounds = this.#map.getBounds();
    return this.#box?.contains(bounds)
      && this.#box.getEast() - this.#box.getWest() < 6 * (bounds.getEast() - bounds.getWest());
  }

  #listen() {
    const { layer, tags, where } = this.#subject();
    if (!this.#isOn || !layer || document.hidden || this.#map.getZoom() === undefined) return;
    this.#close();
    this.#box = this.#map.getBounds().pad(marginShare);
    const isWhole = this.#box.getEast() - this.#box.getWest() >= 360;
    const view = viewportBox(this.#map, isWhole ? 0 : marginShare);
    const stream = api.watchObjects(layer, { ...view, tags, where, intervalMilliseconds });
    this.#stream = stream;
    this.#seen = new Set();
    const take = (event) => stream === this.#stream && this.#take(JSON.parse(event.data));
    for (const kind of ["enter", "move", "exit", "reset"]) stream.addEventListener(kind, take);
  }

  #take({ kind, id, latitude, longitude, snapshot }) {
    const { lights, seconds, isStill } = this.#scene;
    if (kind === "reset") {
      this.#seen = new Set();
      return;
    }
    if (this.#seen && !snapshot) this.#present();
    if (kind === "exit") lights.remove(id);
    else {
      const [x, y] = project([longitude, latitude]);
      lights.put(id, x, y, this.#radius, 0.2 + 0.8 * (id.charCodeAt(id.length - 1) % 8) / 8,
        seconds, isStill);
      if (this.#seen) this.#seen.add(id);
    }
    if (!snapshot) this.changes += 1;
    this.#scene.wake(isStill ? 0 : lights.durationSeconds);
  }

  get #radius() {
    return this.#scene.lights.count > 30_000 ? 1.15 : 2.4;
  }

  /** Those that were shown before and are not among those present now have gone. */
  #present() {
    const seen = this.#seen;
    this.#seen = undefined;
    this.#scene.lights.retain((id) => seen.has(id));
  }
}
