// Nearby search: by a click on the map, or at its centre by keyboard; hits drawn and listed.

import { api } from "./api.js";
import { nameOf } from "./clusters.js";
import { make, tagList } from "./elements.js";
import { age, count, distance } from "./format.js";
import { sentenceOf, t } from "./language.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
const byID = (id) => document.getElementById(id);

export class NearbySearch {
  #map;
  #details;
  #subject;
  #onFound;
  #drawn;
  #running;
  #query;
  #centre;
  #cursor;
  #form = byID("search-form");
  #message = byID("search-message");
  #list = byID("search-results");
  #more = byID("search-more");
  #clear = byID("search-clear");
  hits = [];

  /**
   * @param subject gives the `{layer, tags, where}` to search now.
   * @param onFound is called when there are results to be seen.
   */
  constructor(map, details, subject, onFound = () => {}) {
    this.#onFound = onFound;
    this.#map = map;
    this.#details = details;
    this.#subject = subject;
    this.#drawn = L.layerGroup().addTo(map);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.at(map.getCenter());
    });
    this.#clear.addEventListener("click", () => this.clear());
    this.#more.addEventListener("click", () => this.#page());
    // A double click zooms: wait to see that the click stays a single one.
    let pending = 0;
    map.on("click", (event) => {
      clearTimeout(pending);
      pending = setTimeout(() => {
        // A panel may have taken the click for itself.
        if (!event.isTaken) this.at(event.latlng);
      }, 260);
    });
    map.on("dblclick movestart zoomstart", () => clearTimeout(pending));
    const cross = byID("crosshair").classList;
    const aim = (on) => () => cross.toggle("shown", on);
    const here = byID("search-here");
    for (const event of ["focus", "mouseenter"]) here.addEventListener(event, aim(true));
    for (const event of ["blur", "mouseleave"]) here.addEventListener(event, aim(false));
  }

  /** Searches around a place with what the form says. */
  async at(latlng) {
    const { layer, tags, where } = this.#subject();
    if (!layer) return;
    const { lat, lng } = latlng.wrap();
    const radius = byID("radius").value.trim();
    const limit = byID("limit").value.trim();
    // What is wrong with the numbers is for the daemon to say.
    this.#query = {
      layer, latitude: lat.toFixed(7), longitude: lng.toFixed(7), tags, where,
      radiusMeters: radius || undefined, limit: limit || undefined,
    };
    this.#centre = latlng;
    this.#cursor = undefined;
    this.hits = [];
    this.#list.replaceChildren();
    this.#drawn.clearLayers();
    this.#draw(Number(radius));
    await this.#page();
  }

  /** Searches once more, for another layer or other tags. */
  again() {
    if (this.#centre) this.at(this.#centre);
  }

  clear() {
    this.#running?.abort();
    this.#centre = undefined;
    this.hits = [];
    this.#list.replaceChildren();
    this.#drawn.clearLayers();
    this.#message.textContent = "";
    this.#message.classList.remove("error");
    const inside = this.#clear === document.activeElement;
    this.#more.hidden = this.#clear.hidden = true;
    if (inside) byID("search-here").focus();
  }

  async #page() {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    const { layer, ...query } = this.#query;
    this.#clear.hidden = false;
    try {
      const page = await api.nearby(layer, { ...query, cursor: this.#cursor }, running.signal);
      if (running !== this.#running) return;
      this.#show(layer, page);
    } catch (error) {
      if (error.name === "AbortError" || error.reason === "superseded") return;
      this.#message.textContent = sentenceOf(error);
      this.#message.classList.add("error");
      this.#more.hidden = true;
    }
  }

  #show(layer, { hits, nextCursor }) {
    const first = this.hits.length;
    this.hits.push(...hits);
    this.#cursor = nextCursor;
    this.#more.hidden = nextCursor === undefined;
    this.#message.classList.remove("error");
    const found = this.hits.length;
    this.#message.textContent = found === 0 ? t("nobodyNear")
      : t(nextCursor === undefined ? "foundAll" : "foundNearest", {
        n: count(found), distance: distance(this.hits.at(-1).distanceMeters),
      });
    hits.forEach((hit, index) => this.#add(layer, hit, first + index + 1));
    // What was found is what is looked at: it comes to stand above the fold.
    if (first === 0) this.#onFound();
    if (first === 0) this.#message.scrollIntoView({ block: "start" });
  }

  #draw(radiusMeters) {
    const style = { className: "search-circle", interactive: false };
    if (radiusMeters > 0) {
      L.circle(this.#centre, { ...style, radius: radiusMeters }).addTo(this.#drawn);
    }
    L.circleMarker(this.#centre, { className: "search-centre", interactive: false, radius: 5 })
      .addTo(this.#drawn);
  }

  #add(layer, hit, rank) {
    const place = [hit.latitude, nearestCopy(hit.longitude, this.#centre.lng)];
    const dot = L.circleMarker(place, {
      className: "search-hit", radius: 6, bubblingMouseEvents: false,
    });
    const open = (opener) => this.#details.openObject(layer, hit, opener);
    dot.on("click", () => open(undefined));
    dot.addTo(this.#drawn);
    const lit = (on) => dot.getElement()?.classList.toggle("lit", on);
    const button = make(
      "button", { type: "button" },
      make("span", { className: "rank" }, String(rank)),
      make("span", { className: "name" }, nameOf(hit)),
      make("span", { className: "distance" }, distance(hit.distanceMeters)));
    button.addEventListener("click", () => {
      if (!this.#map.getBounds().contains(place)) this.#map.panTo(place);
      open(button);
    });
    for (const event of ["mouseenter", "focus"]) button.addEventListener(event, () => lit(true));
    for (const event of ["mouseleave", "blur"]) button.addEventListener(event, () => lit(false));
    const seen = make("small", {}, age(hit.ageSeconds));
    this.#list.append(make("li", {}, button, make("div", {}, tagList(hit.tags), seen)));
  }
}
