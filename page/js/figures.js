// The card of figures: the tags and an attribute of what is in view, each bar a filter.

import { api } from "./api.js";
import { make } from "./elements.js";
import { attributeName, attributeText, count } from "./format.js";
import { attributesOf, bars } from "./histogram.js";
import { t } from "./language.js";
import { throttle } from "./throttle.js";
import { viewportBox } from "./viewport.js";

const byID = (id) => document.getElementById(id);
const sampleSize = 500;
const shownTags = 6;
const intervalMilliseconds = 3000;

export class Figures {
  #map;
  #subject;
  #filter;
  #conditions;
  #card = byID("figures");
  #toggle = byID("figures-toggle");
  #attribute = byID("histogram-attribute");
  #objects = [];
  #tags = [];
  #question = 0;
  /** Until clusters were answered nothing is asked: what they are refused for would be said twice. */
  #hasAnswer = false;
  #asks = throttle(() => this.#ask(), intervalMilliseconds);

  /** @param filter of tags; @param conditions on attributes; @param subject what is shown. */
  constructor(map, { subject, filter, conditions }) {
    this.#map = map;
    this.#subject = subject;
    this.#filter = filter;
    this.#conditions = conditions;
    this.#toggle.addEventListener("click", () => this.#open(!this.isOpen));
    this.#attribute.addEventListener("change", () => this.#drawHistogram());
    this.#open(matchMedia("(min-width: 1080px) and (min-height: 560px)").matches);
    map.on("moveend", () => this.#asks());
  }

  get isOpen() {
    return this.#toggle.getAttribute("aria-expanded") === "true";
  }

  #open(isOpen) {
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
    this.#card.classList.toggle("closed", !isOpen);
    if (isOpen) this.#asks();
  }

  /** Called with each answer to what is in view. */
  answered() {
    this.#hasAnswer = true;
    this.#asks();
  }

  async #ask() {
    const { layer, tags, where } = this.#subject();
    if (!this.#hasAnswer || !layer || !this.isOpen || document.hidden) return;
    const question = ++this.#question;
    const box = viewportBox(this.#map);
    try {
      const [found, popular] = await Promise.all([
        api.within(layer, { ...box, tags, where, limit: sampleSize }),
        api.tags(layer, { ...box, limit: 40 }),
      ]);
      if (question !== this.#question) return;
      this.#objects = found.hits;
      this.#tags = popular.tags;
      this.#filter.suggest(popular.tags);
      this.#draw();
    } catch {
      // Figures are a help; what is wrong the clusters' own answer says.
    }
  }

  #draw() {
    const names = attributesOf(this.#objects);
    const wanted = names.includes(this.#attribute.value) ? this.#attribute.value : names[0];
    const key = names.join();
    if (this.#attribute.dataset.names !== key) {
      this.#attribute.dataset.names = key;
      this.#attribute.replaceChildren(...names.map((name) =>
        make("option", { value: name, selected: name === wanted }, attributeName(name))));
    }
    this.#attribute.parentElement.hidden = names.length === 0;
    this.#drawTags();
    this.#drawHistogram();
    const isEmpty = names.length === 0 && this.#tags.length === 0;
    byID("figures-tags-title").hidden = this.#tags.length === 0;
    byID("figures-note").textContent = isEmpty ? t("noFigures")
      : names.length > 0 ? t("sampleOf", { n: count(this.#objects.length) }) : "";
  }

  #drawTags() {
    const top = this.#tags.slice(0, shownTags);
    const most = Math.max(1, ...top.map((one) => one.count));
    this.#fill(byID("figures-tags"), top.map((one) => ({
      text: one.tag, count: one.count, share: one.count / most,
      isChosen: this.#filter.tags.includes(one.tag),
      label: `${one.tag}: ${t("inView", { n: count(one.count) })}`,
      act: () => (this.#filter.tags.includes(one.tag)
        ? this.#filter.remove(one.tag) : this.#filter.add(one.tag)),
    })));
  }

  #drawHistogram() {
    const name = this.#attribute.value;
    const found = name ? bars(this.#objects, name) : [];
    const most = Math.max(1, ...found.map((one) => one.count));
    const chosen = this.#conditions.all.find(({ attribute }) => attribute === name);
    this.#fill(byID("histogram"), found.map(({ count: n, ...range }) => {
      const condition = { attribute: name, ...range };
      const text = range.equals !== undefined ? attributeText(name, range.equals)
        : range.min === range.max ? attributeText(name, range.min)
          : `${attributeText(name, range.min)}–${attributeText(name, range.max)}`;
      const isChosen = chosen !== undefined && JSON.stringify(chosen) === JSON.stringify(condition);
      return {
        text, count: n, share: n / most, isChosen,
        label: t("histogramValue", { name: attributeName(name), value: text, n: count(n) }),
        act: () => (isChosen ? this.#conditions.remove(name) : this.#conditions.set(condition)),
      };
    }));
  }

  /** Bars, each a button; the one with the focus keeps it. */
  #fill(list, rows) {
    const focused = list.contains(document.activeElement)
      ? document.activeElement.dataset.text : undefined;
    list.replaceChildren(...rows.map(({ text, count: n, share, isChosen, label, act }) => {
      const fill = make("span", { className: "bar-fill" });
      fill.style.width = `${Math.round(share * 100)}%`;
      const bar = make("button", { type: "button" },
        make("span", { className: "bar-text" }, text),
        make("span", { className: "bar-track" }, fill),
        make("span", { className: "bar-count" }, count(n)));
      bar.dataset.text = text;
      bar.setAttribute("aria-label", label);
      bar.setAttribute("aria-pressed", String(isChosen));
      bar.addEventListener("click", act);
      return make("li", {}, bar);
    }));
    if (focused !== undefined) {
      list.querySelector(`[data-text="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }
  }

}
