// How a layer is shown: as clusters over fine lights, as hexagons of density, or object by object.

import { EveryObject } from "./everyobject.js";
import { HeatView } from "./heat.js";
import { FineLights } from "./lights.js";

export const displays = ["clusters", "heat", "points"];

export class Display {
  #map;
  #scene;
  #lights;
  #heat;
  #points;
  #switch;
  #onChange;
  current;

  /**
   * @param host the fieldset with a radio button for each.
   * @param onChange called after another one was chosen.
   */
  constructor(map, scene, { host, initial, subject, onChange, onError }) {
    this.#map = map;
    this.#scene = scene;
    this.#onChange = onChange;
    this.#lights = new FineLights(map, scene, subject);
    this.#heat = new HeatView(map, scene, subject, onError);
    this.#points = new EveryObject(map, scene, subject);
    this.#switch = host;
    host.addEventListener("change", ({ target }) => {
      this.set(target.value);
      this.#onChange();
    });
    this.set(displays.includes(initial) ? initial : displays[0]);
  }

  set(display) {
    if (this.current === display) return;
    this.current = display;
    for (const input of this.#switch.querySelectorAll("input")) {
      input.checked = input.value === display;
    }
    this.#scene.showsFlock = display === "clusters";
    this.#lights.isOn = display === "clusters";
    this.#heat.isOn = display === "heat";
    this.#points.isOn = display === "points";
    // Circles that are not drawn take no clicks; the keyboard still reaches them.
    this.#map.getContainer().classList.toggle("uncircled", display !== "clusters");
    this.#scene.wake(0.5);
  }

  get hexagons() {
    return this.#heat.hexagons;
  }

  /** Changes told of single objects since the last call. */
  takeChanges() {
    const { changes } = this.#points;
    this.#points.changes = 0;
    return changes;
  }

  answered(clusters) {
    this.#lights.answered(clusters);
    this.#heat.answered();
  }

  /** Another layer, or other tags. */
  follow() {
    this.#lights.forget();
    if (this.current === "heat") this.#heat.forget();
    this.#points.again();
  }
}
