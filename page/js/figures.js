// The card of figures: the tags and an attribute of what is in view, each bar a filter.

import { api } from "./api.js";
import { make } from "./elements.js";
import { abbreviate, attributeName, attributeText, count } from "./format.js";
import { attributesOf, bars } from "./histogram.js";
import { t } from "./language.js";
import { tagsOf, ViewSample } from "./sample.js";
import { throttle } from "./throttle.js";
import { viewportBox } from "./viewport.js";

const byID = (id) => document.getElementById(id);
const shownTags = 6;
const askedTags = 50;
const intervalMilliseconds = 3000;

export class Figures {
  #map;
  #subject;
  #filter;
  #conditions;
  #card = byID("figures");
  #toggle = byID("figures-toggle");
  #attribute = byID("histogram-attribute");
  #sample;
  /** What is in view, or a part of it that stands for all: `{objects, total, isWhole}`. */
  #seen = { objects: [], total: 0, isWhole: true };
  /** `[{tag, count}]`; whether these counts are of what was seen, and not of all in view. */
  #tags = [];
  #tagsAreOfSeen = false;
  /** One question at a time; what changes meanwhile is asked for when its answer is there. */
  #isAsking = false;
  #isStale = false;
  /** Until clusters were answered nothing is asked: what they are refused for would be said twice. */
  #hasAnswer = false;
  #asks = throttle(() => this.#ask(), intervalMilliseconds);

  /** @param filter of tags; @param conditions on attributes; @param subject what is shown. */
  constructor(map, { subject, filter, conditions }) {
    this.#map = map;
    this.#sample = new ViewSample(map);
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

  /** Called with each answer to what is in view; closed figures only suggest tags, once a view. */
  answered({ live }) {
    this.#hasAnswer = true;
    if (this.isOpen || !live) this.#asks();
  }

  async #ask() {
    if (!this.#hasAnswer || !this.#subject().layer || document.hidden) return;
    this.#isStale = this.#isAsking;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#read(this.#subject());
    } catch {
      // Figures are a help; what is wrong the clusters' own answer says.
    }
    this.#isAsking = false;
    if (this.#isStale) this.#asks();
  }

  async #read(subject) {
    const { layer, tags, where } = subject;
    // The daemon counts tags of all in view alone: with a filter they are counted here.
    const isFiltered = tags.length > 0 || where !== undefined;
    const [seen, popular] = await Promise.all([
      this.isOpen || isFiltered ? this.#sample.take(subject) : undefined,
      isFiltered ? undefined : api.tags(layer, { ...viewportBox(this.#map), limit: askedTags }),
    ]);
    if (JSON.stringify(subject) !== JSON.stringify(this.#subject())) {
      this.#isStale = true;
      return;
    }
    this.#seen = seen ?? this.#seen;
    this.#tags = popular?.tags ?? tagsOf(seen.objects);
    this.#tagsAreOfSeen = popular === undefined;
    this.#filter.suggest(this.#tags.slice(0, askedTags).map(({ tag, count: n }) => (
      { tag, text: this.#tagCount(n) })));
    if (this.isOpen) this.#draw();
  }

  /** How many of all in view, by how many of those that were seen. */
  #estimate(n) {
    const { objects, total, isWhole } = this.#seen;
    if (isWhole) return count(n);
    const estimated = (n * total) / objects.length;
    return n === 0 ? count(0) : `≈${abbreviate(Number(estimated.toPrecision(2)))}`;
  }

  #tagCount(n) {
    return this.#tagsAreOfSeen ? this.#estimate(n) : count(n);
  }

  #draw() {
    const { objects, total, isWhole } = this.#seen;
    const names = attributesOf(objects);
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
    const isSeenTold = names.length > 0 || this.#tagsAreOfSeen;
    byID("figures-note").textContent = isEmpty ? t("noFigures") : !isSeenTold ? ""
      : isWhole ? t("allOf", { n: count(total) })
        : t("sampleOf", { n: count(objects.length), total: count(total) });
  }

  #drawTags() {
    const top = this.#tags.slice(0, shownTags);
    const most = Math.max(1, ...top.map((one) => one.count));
    this.#fill(byID("figures-tags"), top.map((one) => ({
      text: one.tag, number: this.#tagCount(one.count), share: one.count / most,
      isChosen: this.#filter.tags.includes(one.tag),
      label: `${one.tag}: ${t("inView", { n: this.#tagCount(one.count) })}`,
      act: () => (this.#filter.tags.includes(one.tag)
        ? this.#filter.remove(one.tag) : this.#filter.add(one.tag)),
    })));
  }

  #drawHistogram() {
    const name = this.#attribute.value;
    const found = name ? bars(this.#seen.objects, name) : [];
    const most = Math.max(1, ...found.map((one) => one.count));
    const chosen = this.#conditions.all.find(({ attribute }) => attribute === name);
    this.#fill(byID("histogram"), found.map(({ count: n, ...range }) => {
      const condition = { attribute: name, ...range };
      const text = range.equals !== undefined ? attributeText(name, range.equals)
        : range.min === range.max ? attributeText(name, range.min)
          : `${attributeText(name, range.min)}–${attributeText(name, range.max)}`;
      const isChosen = chosen !== undefined && JSON.stringify(chosen) === JSON.stringify(condition);
      return {
        text, number: this.#estimate(n), share: n / most, isChosen,
        label: t("histogramValue", { name: attributeName(name), value: text, n: this.#estimate(n) }),
        act: () => (isChosen ? this.#conditions.remove(name) : this.#conditions.set(condition)),
      };
    }));
  }

  /** Bars, each a button; the one with the focus keeps it. */
  #fill(list, rows) {
    const focused = list.contains(document.activeElement)
      ? document.activeElement.dataset.text : undefined;
    list.replaceChildren(...rows.map(({ text, number, share, isChosen, label, act }) => {
      const fill = make("span", { className: "bar-fill" });
      fill.style.width = `${Math.round(share * 100)}%`;
      const bar = make("button", { type: "button" },
        make("span", { className: "bar-text" }, text),
        make("span", { className: "bar-track" }, fill),
        make("span", { className: "bar-count" }, number));
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
