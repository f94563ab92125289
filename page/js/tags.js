// The tag filter that clusters and nearby search share: chips, an input with suggestions, and the
// popular tags of the view.

import { make } from "./elements.js";
import { t } from "./language.js";

const byID = (id) => document.getElementById(id);
/** The daemon's limit. */
const mostTags = 32;
const mostBytes = 64;
const suggestions = 8;

const bytesOf = (text) => new TextEncoder().encode(text).length;

/** Close to the daemon's rule, enough to tell a tag that is already chosen. */
const normal = (tag) =>
  tag.normalize("NFC").trim().replace(/\s+/g, " ").replace(/^#/, "").toLowerCase();

export class TagFilter {
  #chips = byID("tag-chips");
  #input = byID("tag-input");
  #list = byID("tag-list");
  #popular = byID("tag-popular");
  #message = byID("tag-message");
  #counts = [];
  #onChange;
  tags = [];

  constructor(tags, onChange) {
    this.tags = TagFilter.#usable(tags);
    this.#onChange = onChange;
    this.#input.addEventListener("input", () => this.#complain(""));
    this.#input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === ",") {
        if (event.isComposing) return; // A Korean syllable is still being typed.
        event.preventDefault();
        this.add(this.#input.value);
      } else if (event.key === "Backspace" && this.#input.value === "") {
        this.remove(this.tags.at(-1));
      }
    });
    // A suggestion picked from the list arrives as a whole value, with no key.
    this.#input.addEventListener("change", () => this.add(this.#input.value));
    byID("tags").addEventListener("click", () => this.#input.focus());
    this.#draw();
  }

  /** No daemon takes longer ones: a view filtered by them could only be empty. */
  static #usable(tags) {
    return tags.map(normal).filter((tag) => tag && bytesOf(tag) <= mostBytes).slice(0, mostTags);
  }

  #complain(text) {
    this.#message.textContent = text;
    this.#message.hidden = text === "";
    this.#input.setAttribute("aria-invalid", String(text !== ""));
  }

  add(text) {
    const tag = normal(text ?? "");
    if (bytesOf(tag) > mostBytes) {
      // It stays to be shortened.
      return this.#complain(t("tagTooLong", {
        n: mostBytes, letters: mostBytes, syllables: Math.floor(mostBytes / 3),
      }));
    }
    this.#input.value = "";
    if (!tag || this.tags.includes(tag)) return;
    if (this.tags.length === mostTags) return this.#complain(t("tagTooMany", { n: mostTags }));
    this.tags = [...this.tags, tag];
    this.#changed();
  }

  remove(tag) {
    if (!this.tags.includes(tag)) return;
    this.tags = this.tags.filter((other) => other !== tag);
    this.#changed();
    this.#input.focus();
  }

  /** Replaces the chosen tags without telling anyone. */
  replace(tags) {
    this.tags = TagFilter.#usable(tags);
    this.#draw();
  }

  /** `[{tag, text}]`, most popular first; `text` says how many. */
  suggest(counts) {
    this.#counts = counts;
    this.#list.replaceChildren(
      ...counts.map(({ tag }) => make("option", { value: tag })));
    this.#drawPopular();
  }

  #changed() {
    this.#draw();
    this.#onChange(this.tags);
  }

  #draw() {
    this.#chips.replaceChildren(
      ...this.tags.map((tag) => {
        const remove = make("button", { type: "button", title: t("removeTag", { tag }) }, tag);
        remove.setAttribute("aria-label", t("removeTag", { tag }));
        remove.addEventListener("click", (event) => {
          event.stopPropagation();
          this.remove(tag);
        });
        return make("li", {}, remove);
      }));
    this.#drawPopular();
  }

  #drawPopular() {
    const focused = document.activeElement?.dataset?.tag;
    this.#popular.replaceChildren(
      ...this.#counts.filter(({ tag }) => !this.tags.includes(tag)).slice(0, suggestions)
        .map(({ tag, text }) => {
          const chip = make(
            "button", { type: "button", title: t("inView", { n: text }) }, tag,
            make("small", {}, text));
          chip.dataset.tag = tag;
          chip.addEventListener("click", () => this.add(tag));
          return chip;
        }));
    if (focused) this.#popular.querySelector(`[data-tag="${CSS.escape(focused)}"]`)?.focus();
  }
}
