// Places picked by clicks on the map, for one panel at a time; Escape stops.

export class PlacePicker {
  /** The picker whose turn it is; beginning another one stops it. */
  static #active;
  #map;
  #take;
  #stop;

  constructor(map) {
    this.#map = map;
    map.on("click", (event) => this.#clicked(event));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.isPicking) this.#stopped();
    });
  }

  get isPicking() {
    return this.#take !== undefined;
  }

  /** `take({ latitude, longitude }, latlng)` gets each click until `end`; `stop` hears of Escape. */
  begin(take, stop) {
    if (PlacePicker.#active !== this) PlacePicker.#active?.#stopped();
    PlacePicker.#active = this;
    this.#take = take;
    this.#stop = stop;
    this.#map.getContainer().classList.add("picking");
  }

  end() {
    if (PlacePicker.#active === this) {
      PlacePicker.#active = undefined;
      this.#map.getContainer().classList.remove("picking");
    }
    this.#take = undefined;
    this.#stop = undefined;
  }

  #stopped() {
    const stop = this.#stop;
    this.end();
    stop();
  }

  #clicked(event) {
    if (!this.isPicking) return;
    event.isTaken = true;
    const { lat, lng } = event.latlng.wrap();
    this.#take({ latitude: lat, longitude: lng }, event.latlng);
  }
}
