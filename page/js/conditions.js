// Filters on attributes, as chips beside the tags: set by a click on a bar of the histogram.

import { button, make } from "./elements.js";
import { attributeName, attributeText } from "./format.js";
import { t } from "./language.js";

const list = document.getElementById("conditions");

export class Conditions {
  #onChange;
  /** `[{attribute, equals}]` or `[{attribute, min, max}]`. */
  all = [];

  constructor(onChange) {
    this.#onChange = onChange;
  }

  /** As calls take it, one JSON text for each; `undefined` where there is none. */
  get query() {
    return this.all.length === 0 ? undefined : this.all.map((one) => JSON.stringify(one));
  }

  /** One condition an attribute: another takes the place of the first. */
  set(condition) {
    this.all = [
      ...this.all.filter(({ attribute }) => attribute !== condition.attribute), condition];
    this.#changed();
  }

  remove(attribute) {
    this.all = this.all.filter((one) => one.attribute !== attribute);
    this.#changed();
  }

  /** Forgets all without telling anyone. */
  clear() {
    this.all = [];
    this.#draw();
  }

  #changed() {
    this.#draw();
    this.#onChange();
  }

  static text({ attribute, equals, min, max }) {
    const name = attributeName(attribute);
    const say = (v) => attributeText(attribute, v);
    if (equals !== undefined) return t("conditionEquals", { name, value: say(equals) });
    if (min === max) return t("conditionEquals", { name, value: say(min) });
    return t("conditionRange", { name, from: say(min), to: say(max) });
  }

  #draw() {
    list.hidden = this.all.length === 0;
    list.replaceChildren(...this.all.map((condition) => {
      const text = Conditions.text(condition);
      const chip = button({ className: "chosen" }, text, () => this.remove(condition.attribute));
      chip.setAttribute("aria-label", t("removeCondition", { text }));
      return make("li", {}, chip);
    }));
  }
}
