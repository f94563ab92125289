// Places by name and names by place: a field that suggests while somebody types, usable with the
// keyboard alone (the combobox pattern of ARIA), and what a picked point is called.

import { api } from "./api.js";
import { make } from "./elements.js";
import { distance } from "./format.js";
import { t } from "./language.js";
import { throttle } from "./throttle.js";

const suggestions = 6;
const typingMilliseconds = 150;
// A point is called after a place no further away than this, and "near" it beyond that.
const namedMeters = 1000;
const atMeters = 150;
const namingMilliseconds = 1500;

/** What a point is called, or an empty text; never fails and never takes long. */
export async function nameOf({ latitude, longitude }) {
  const late = new Promise((resolve) => setTimeout(resolve, namingMilliseconds, ""));
  const found = api.reversePlaces({ latitude, longitude, limit: 1 }).then(({ places: [place] }) => {
    if (!place || place.distanceMeters > namedMeters) return "";
    return place.distanceMeters > atMeters ? t("placeNear", { name: place.name }) : place.name;
  }).catch(() => "");
  return Promise.race([found, late]);
}

/** An input for a place by its name. */
export class PlaceField {
  #input;
  #list;
  #centre;
  #onChange;
  #found = [];
  #active = -1;
  #chosen;
  #isPicked = false;
  #question = 0;
  #ask = throttle(() => this.#suggest(), typingMilliseconds);

  /**
   * @param centre answers where the asker looks: of equal names the nearest comes first
   * @param onChange is called when a place was chosen by name or taken back
   */
  constructor({ id, label, centre, onChange = () => {} }) {
    this.#centre = centre;
    this.#onChange = onChange;
    this.#list = make("ul", { id: `${id}-list`, className: "place-list", hidden: true });
    this.#list.setAttribute("role", "listbox");
    this.#list.setAttribute("aria-label", t("placeSuggestions", { label }));
    this.#input = make("input", {
      id, autocomplete: "off", spellcheck: false, placeholder: t("placePlaceholder"),
      enterKeyHint: "search",
    });
    for (const [key, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false",
      "aria-controls": this.#list.id,
    })) this.#input.setAttribute(key, value);
    this.element = make("div", { className: "place-field" },
      make("label", { htmlFor: id }, label), this.#input, this.#list);
    this.#input.addEventListener("input", () => this.#typed());
    this.#input.addEventListener("keydown", (event) => this.#pressed(event));
    this.#input.addEventListener("blur", () => this.#close());
    // Before the input loses the focus and the list goes.
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const item = event.target.closest("li");
      if (item) this.#choose(Number(item.dataset.index));
    });
  }

  /** The place chosen by name: `{ name, latitude, longitude }`. */
  get place() { return this.#isPicked ? undefined : this.#chosen; }

  /** Shows what a point picked on the map is called; it is forgotten with the next ride. */
  show(name) {
    this.#isPicked = true;
    this.#chosen = undefined;
    this.#input.value = name;
  }

  /** Forgets a point that was picked on the map. */
  forgetPicked() {
    if (!this.#isPicked) return;
    this.#isPicked = false;
    this.#input.value = "";
  }

  /** The place chosen, else the best one of what was typed; `undefined` when the field is empty. */
  async resolve() {
    const text = this.#input.value.trim();
    if (this.place || text === "" || this.#isPicked) return this.place;
    const { places } = await this.#search(text, 1);
    // Chosen, picked or typed on in the meantime: what is newer counts.
    if (this.place || this.#isPicked || this.#input.value.trim() !== text) return this.resolve();
    if (places.length === 0) throw new Error(t("placeUnknown", { name: text }));
    this.#found = places;
    this.#choose(0);
    return this.place;
  }

  #search(text, limit) {
    const { lat, lng } = this.#centre();
    return api.searchPlaces({ q: text, latitude: lat, longitude: lng, limit });
  }

  #typed() {
    const had = this.#chosen !== undefined;
    this.#chosen = undefined;
    this.#isPicked = false;
    if (had) this.#onChange();
    this.#ask();
  }

  async #suggest() {
    const question = ++this.#question;
    const text = this.#input.value.trim();
    if (text === "") return this.#close();
    try {
      const { places } = await this.#search(text, suggestions);
      // A later letter, a choice, or somewhere else by now.
      if (question !== this.#question || this.#chosen) return;
      if (document.activeElement !== this.#input) return;
      this.#show(places);
      this.#list.dataset.text = text;
    } catch {
      this.#close();
    }
  }

  #show(places) {
    this.#found = places;
    this.#active = -1;
    this.#list.replaceChildren(...places.map((place, index) => {
      const notes = [
        place.address ?? place.category,
        place.distanceMeters === undefined ? undefined : distance(place.distanceMeters),
      ].filter(Boolean).join(" · ");
      const item = make("li", { id: `${this.#list.id}-${index}` },
        make("span", { className: "name" }, place.name), make("small", {}, notes));
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.dataset.index = index;
      return item;
    }));
    this.#expand(places.length > 0);
  }

  #expand(isOpen) {
    this.#list.hidden = !isOpen;
    this.#input.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) this.#input.removeAttribute("aria-activedescendant");
  }

  #close() {
    this.#question += 1;
    this.#ask.cancel();
    this.#active = -1;
    this.#expand(false);
  }

  #pressed(event) {
    const isOpen = !this.#list.hidden;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // Enter and arrows that end a syllable of Hangul are the keyboard's own.
    if (event.isComposing) return;
    if (step) {
      event.preventDefault();
      if (!isOpen) return this.#suggest();
      this.#move(step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.#entered(isOpen);
    } else if (event.key === "Escape" && isOpen) {
      // The list alone goes; a ride that is being picked stays.
      event.stopPropagation();
      this.#close();
    }
  }

  /** Takes the suggestion at hand, else the best place of what was typed. */
  #entered(isOpen) {
    if (isOpen && this.#active >= 0) return this.#choose(this.#active);
    // No list may have come yet, or that of fewer letters.
    const isOfThisText = this.#list.dataset.text === this.#input.value.trim();
    if (isOpen && isOfThisText) return this.#choose(0);
    this.resolve().catch(() => this.#close());
  }

  #move(step) {
    const items = [...this.#list.children];
    this.#active = (this.#active + step + items.length + (this.#active < 0 && step < 0 ? 1 : 0))
      % items.length;
    for (const [index, item] of items.entries()) {
      item.setAttribute("aria-selected", String(index === this.#active));
    }
    const active = items[this.#active];
    active.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", active.id);
  }

  #choose(index) {
    const { name, latitude, longitude } = this.#found[index];
    this.#chosen = { name, latitude, longitude };
    this.#isPicked = false;
    this.#input.value = name;
    this.#close();
    this.#onChange();
  }
}
