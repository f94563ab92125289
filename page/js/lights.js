// The fine lights below the clusters: the same objects grouped three zooms finer, so that a city is
// seen where its people are and not only in numbers.

import { api } from "./api.js";
import { project } from "./outline.js";
import { throttle } from "./throttle.js";
import { clusterZoom, viewportBox } from "./viewport.js";

const finerZooms = 3;
/** Past this zoom clusters are apart anyway. */
const finestZoom = 16;
const mostLights = 5000;
const intervalMilliseconds = 2500;

export class FineLights {
  #map;
  #scene;
  #subject;
  #asks = throttle(() => this.#ask(), intervalMilliseconds);
  #question = 0;
  #isOn = false;

  constructor(map, scene, subject) {
    this.#map = map;
    this.#scene = scene;
    this.#subject = subject;
  }

  /** Whether the lights are this display's. */
  set isOn(on) {
    this.#isOn = on;
    this.#question += 1;
    this.#scene.lights.clear();
    this.#scene.lights.durationSeconds = 1.6;
  }

  /** Called with each answer: there is something to light up where clusters hold many. */
  answered(clusters) {
    if (!this.#isOn) return;
    const sum = clusters.reduce((all, { pointCount }) => all + pointCount, 0);
    if (sum > clusters.length * 1.2 && clusters.length > 0) this.#asks();
    else if (this.#scene.lights.count > 0) this.#scene.lights.clear();
  }

  forget() {
    this.#question += 1;
    if (this.#isOn) this.#scene.lights.clear();
  }

  async #ask() {
    const question = ++this.#question;
    const { layer, tags, where } = this.#subject();
    const zoom = Math.min(finestZoom, clusterZoom(this.#map) + finerZooms);
    try {
      const { clusters } = await api.clusters(
        layer, { ...viewportBox(this.#map), zoom, tags, where, limit: mostLights });
      if (question === this.#question && this.#isOn) this.#take(clusters);
    } catch {
      // The lights are for the eye: what is wrong the clusters' own answer says.
    }
  }

  #take(clusters) {
    const { lights, seconds, isStill } = this.#scene;
    const seen = new Set();
    for (const { id, latitude, longitude, pointCount } of clusters) {
      seen.add(id);
      const [x, y] = project([longitude, latitude]);
      const size = Math.log2(pointCount + 1);
      lights.put(id, x, y, 3.2 + 1.5 * size, Math.min(1, size / 7), seconds, isStill);
    }
    lights.retain((id) => seen.has(id));
    this.#scene.wake(isStill ? 0 : lights.durationSeconds);
  }
}
