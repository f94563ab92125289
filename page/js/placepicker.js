// Places picked on the map, by a click or by keyboard at its centre, for one panel at a time; Escape
// and a button stop. What is asked for stands over the map, where a phone's sheet makes way.

const byID = (id) => document.getElementById(id);
const bar = byID("pick-bar");

export class PlacePicker {
  /** The picker whose turn it is; beginning another one stops it. */
  static #active;
  /** Lets a phone's sheet make way: set once, by whoever has the sheet. */
  static makeWay = () => {};
  #map;
  #take;
  #stop;

  constructor(map) {
    this.#map = map;
    map.on("click", (event) => this.#clicked(event));
    document.addEventListener("keydown", (event) => {
      if (!this.isPicking) return;
      if (event.key === "Escape") this.#stopped();
      if (event.key === "Enter" && event.target === map.getContainer()) this.#takeCentre();
    });
    byID("pick-here").addEventListener("click", () => this.isPicking && this.#takeCentre());
    byID("pick-cancel").addEventListener("click", () => this.isPicking && this.#stopped());
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

  /** Says over the map what the next click is for. */
  ask(text) {
    if (!this.isPicking) return;
    const opens = bar.hidden;
    byID("pick-text").textContent = text;
    bar.hidden = false;
    byID("crosshair").classList.add("shown");
    if (opens) PlacePicker.makeWay(true);
  }

  end() {
    if (PlacePicker.#active === this) {
      PlacePicker.#active = undefined;
      this.#map.getContainer().classList.remove("picking");
      if (!bar.hidden) {
        const hadFocus = bar.contains(document.activeElement);
        bar.hidden = true;
        byID("crosshair").classList.remove("shown");
        if (hadFocus) this.#map.getContainer().focus({ preventScroll: true });
        PlacePicker.makeWay(false);
      }
    }
    this.#take = undefined;
    this.#stop = undefined;
  }

  #stopped() {
    const stop = this.#stop;
    this.end();
    stop();
  }

  #takeCentre() {
    this.#hand(this.#map.getCenter());
  }

  #clicked(event) {
    if (!this.isPicking) return;
    event.isTaken = true;
    this.#hand(event.latlng);
  }

  #hand(latlng) {
    const { lat, lng } = latlng.wrap();
    this.#take({ latitude: lat, longitude: lng }, latlng);
  }
}
