// Rides on the map: a pill each with what a seat costs and the seats as pips, taken and free. Full ones
// are not shown; those that would cover one another stand together as one.

import { make } from "./elements.js";
import { money } from "./format.js";
import { t } from "./language.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
const pillPixels = [112, 34];
/** Nothing takes these apart: they are listed. */
const inseparablePixels = 4;

export function pips({ seats, seatsFree }) {
  const row = make("span", { className: "pips" }, ...Array.from({ length: seats }, (_, i) =>
    make("i", { className: i < seats - seatsFree ? "pip taken" : "pip" })));
  row.setAttribute("aria-hidden", "true");
  return row;
}

export class PartyMarkers {
  #map;
  #drawn = L.layerGroup();
  #markers = new Map();
  #parties = [];
  #onChoose;
  #onList;
  #chosen;

  #obstacles;

  /**
   * @param onChoose takes a party's id; @param onList takes parties that stand at one place.
   * @param obstacles answers the boxes on the screen that no pill may cover or stand under.
   */
  constructor(map, { onChoose, onList, obstacles }) {
    this.#map = map;
    this.#obstacles = obstacles;
    this.#onChoose = onChoose;
    this.#onList = onList;
    map.on("zoomend", () => this.#parties.length > 0 && this.#draw());
  }

  /** Ids of the parties that are shown, alone or with others. */
  get ids() {
    return this.#parties.map(({ id }) => id);
  }

  /** The element that stands for a party. */
  element(id) {
    for (const { marker, parties } of this.#markers.values()) {
      if (parties.some((party) => party.id === id)) return marker.getElement();
    }
    return undefined;
  }

  show(parties, chosenID) {
    this.#drawn.addTo(this.#map);
    this.#chosen = chosenID;
    this.#parties = parties.filter(({ seatsFree, state }) => seatsFree > 0 && state === "open");
    this.#draw();
  }

  clear() {
    this.#parties = [];
    this.#drawn.clearLayers();
    this.#markers.clear();
    this.#drawn.remove();
  }

  /** Parties by where their pill stands; the chosen one always has its own. */
  #groups() {
    const groups = [];
    const order = [...this.#parties].sort((a, b) =>
      (b.id === this.#chosen) - (a.id === this.#chosen) || a.perPersonIfFull - b.perPersonIfFull
      || (a.id < b.id ? -1 : 1));
    for (const party of order) {
      const { latitude, longitude } = party.origin;
      const point = this.#map.project([latitude, longitude]);
      const mates = party.id === this.#chosen ? undefined : groups.find((group) =>
        group.key !== this.#chosen
        && Math.abs(group.point.x - point.x) < pillPixels[0]
        && Math.abs(group.point.y - point.y) < pillPixels[1]);
      if (mates) mates.parties.push(party);
      else groups.push({ key: party.id, point, parties: [party] });
    }
    return groups;
  }

  #draw() {
    const gone = new Map(this.#markers);
    const centre = this.#map.getCenter().lng;
    for (const { key, parties } of this.#groups()) {
      const state = parties.map(({ id, version }) => `${id} ${version}`).join() + this.#chosen;
      const known = gone.get(key);
      gone.delete(key);
      if (known?.state === state) continue;
      if (known) this.#drawn.removeLayer(known.marker);
      const { latitude, longitude } = parties[0].origin;
      const marker = L.marker([latitude, nearestCopy(longitude, centre)],
        { ...this.#look(parties), zIndexOffset: key === this.#chosen ? 1400 : 1200 });
      marker.on("click", () => this.#clicked(parties));
      this.#drawn.addLayer(marker);
      this.#wire(marker.getElement(), parties);
      this.#markers.set(key, { marker, parties, state });
    }
    for (const [key, { marker }] of gone) {
      this.#drawn.removeLayer(marker);
      this.#markers.delete(key);
    }
    this.makeWay();
  }

  /** Pills that a trip's pins, words or price would cover are not shown for as long as it is. */
  makeWay() {
    const boxes = this.#obstacles();
    for (const { marker } of this.#markers.values()) {
      const element = marker.getElement();
      const pill = element?.querySelector(".pill").getBoundingClientRect();
      element?.classList.toggle("covered", boxes.some((box) =>
        box.left < pill.right && pill.left < box.right && box.top < pill.bottom
        && pill.top < box.bottom));
    }
  }

  #wire(element, parties) {
    if (!element) return;
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", this.#label(parties));
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      this.#clicked(parties);
    });
  }

  #label(parties) {
    const [first] = parties;
    const price = money(first.perPersonIfFull, first.fare);
    if (parties.length > 1) return t("groupLabel", { n: parties.length, money: price });
    return t("partyLabel", {
      money: price, seats: t("seatsFree", { free: first.seatsFree, all: first.seats }),
    });
  }

  #look(parties) {
    const [first] = parties;
    const price = make("b", {}, money(first.perPersonIfFull, first.fare));
    const pill = parties.length > 1
      ? make("span", { className: "pill group" },
        make("em", {}, String(parties.length)), price)
      : make("span", { className: "pill" }, price, pips(first));
    const chosen = first.id === this.#chosen ? " chosen" : "";
    return {
      icon: L.divIcon({ className: `marker party${chosen}`, html: pill, iconSize: [0, 0] }),
    };
  }

  #clicked(parties) {
    if (parties.length === 1) return this.#onChoose(parties[0].id);
    const points = parties.map(({ origin: { latitude, longitude } }) => [latitude, longitude]);
    const [first] = points.map((one) => this.#map.project(one));
    const isOne = points.every((one) => this.#map.project(one).distanceTo(first) < inseparablePixels);
    if (isOne || this.#map.getZoom() >= this.#map.getMaxZoom()) return this.#onList(parties);
    const zoom = Math.min(
      this.#map.getMaxZoom(), Math.max(this.#map.getZoom() + 1,
        this.#map.getBoundsZoom(L.latLngBounds(points)) - 1));
    this.#map.setView(L.latLngBounds(points).getCenter(), zoom);
  }
}
