// The panel: a card beside the map, or on a phone a sheet at the bottom that opens and closes.

import { t } from "./language.js";

const byID = (id) => document.getElementById(id);

export class Sheet {
  #panel = byID("panel");
  #toggle = byID("panel-toggle");
  #narrow = matchMedia("(max-width: 640px)");
  #onResize;

  /** @param onResize called when the part of the window left to the map may have changed. */
  constructor(onResize) {
    this.#onResize = onResize;
    this.#toggle.addEventListener("click", () => this.set(!this.isOpen));
    this.#narrow.addEventListener("change", () => this.set(!this.#narrow.matches));
    this.set(!this.#narrow.matches);
    for (const [link, target] of [["skip-panel", "panel-body"], ["skip-map", "map"]]) {
      // The address keeps the view: a skip link moves the focus, never the hash.
      byID(link).addEventListener("click", (event) => {
        event.preventDefault();
        if (target === "panel-body") this.set(true);
        byID(target).focus();
      });
    }
  }

  #wasOpen = false;

  /** On a phone the open sheet goes while places are picked on the map, and comes back after. */
  makeWay(isPicking) {
    if (!this.isNarrow) return;
    if (isPicking) {
      this.#wasOpen = this.isOpen;
      this.set(false);
    } else if (this.#wasOpen) {
      this.set(true);
    }
  }

  get isOpen() {
    return !this.#panel.classList.contains("closed");
  }

  get isNarrow() {
    return this.#narrow.matches;
  }

  set(open) {
    if (open === this.isOpen && this.#toggle.querySelector(".label").textContent) return;
    this.#panel.classList.toggle("closed", !open);
    this.#toggle.setAttribute("aria-expanded", String(open));
    this.#toggle.querySelector(".label").textContent = t(open ? "collapse" : "expand");
    this.#onResize?.();
  }
}
