// Study mates on the map: where I am and how far I look, who waits where, and once two are matched the
// way to the other one. Others stand at the middle of their cell, which is drawn as wide as it is.

import { make } from "./elements.js";
import { distance, person } from "./format.js";
import { fitToFree } from "./freemap.js";
import { t } from "./language.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
/** Markers closer together than this stand as one. */
const leastPixels = 44;
/** A marker closer to my pin than this stands aside. */
const asidePixels = 30;
const metersPerDegree = 111_195;

/** South-west and north-east of a square cell around its middle. */
function cellBounds([latitude, longitude], cellMeters) {
  const half = cellMeters / 2 / metersPerDegree;
  const across = half / Math.cos((latitude * Math.PI) / 180);
  return [[latitude - half, longitude - across], [latitude + half, longitude + across]];
}

export class TicketMap {
  #map;
  #drawn = L.layerGroup();
  #renderer;

  constructor(map) {
    this.#map = map;
    const pane = map.createPane("meeting");
    // Above circles and pills, below popups; nothing of it can be clicked.
    pane.style.zIndex = "630";
    pane.style.pointerEvents = "none";
    this.#renderer = L.svg({ pane: "meeting", padding: 0.5 });
    this.#drawn.addTo(map);
  }

  clear() {
    this.#drawn.clearLayers();
  }

  #at({ latitude, longitude }) {
    return [latitude, nearestCopy(longitude, this.#map.getCenter().lng)];
  }

  #shape(className) {
    return { className, interactive: false, renderer: this.#renderer, pane: "meeting", fill: false };
  }

  #pin(place, kind, text) {
    const content = make("div", { className: `pin pin-${kind}` },
      make("i", {}), make("span", {}, text));
    this.#drawn.addLayer(L.marker(place, {
      icon: L.divIcon({ className: "meeting-pin", html: content, iconSize: [0, 0] }),
      interactive: false, keyboard: false, pane: "meeting",
    }));
  }

  /** Where I am and whom I look for: distances are told from where others see me. */
  waiting({ here, shownAt }, radiusMeters, people) {
    this.clear();
    this.#drawn.addLayer(L.circle(this.#at(shownAt ?? here), {
      ...this.#shape("search-radius"), radius: radiusMeters,
    }));
    this.#pin(this.#at(here), "me", t("youHere"));
    this.#people(people, this.#map.project(this.#at(here)));
  }

  /** Me, the cell of the one I meet, where it is known, and a line to its middle. */
  met({ here, matchedWith }, other) {
    this.clear();
    const from = this.#at(here);
    if (other) {
      const to = this.#at(other);
      this.#drawn.addLayer(L.rectangle(
        cellBounds(to, other.cellMeters), this.#shape("meeting-cell")));
      this.#drawn.addLayer(L.polyline([from, to], this.#shape("meeting-line")));
      this.#pin(to, "mate", t("aboutThere", {
        who: person(matchedWith), distance: distance(other.distanceMeters),
      }));
    }
    this.#pin(from, "me", t("youHere"));
  }

  /** Moves the map so that both are seen, and all of the cell. */
  fit({ here }, other) {
    const places = other ? cellBounds(this.#at(other), other.cellMeters) : [];
    fitToFree(this.#map, [this.#at(here), ...places], { maxZoom: 15 });
  }

  /** People of a cell stand at one point, and cells close together on the screen as one. */
  #people(people, mine) {
    const groups = [];
    for (const one of people) {
      const point = this.#map.project(this.#at(one));
      const mates = groups.find((group) => group.point.distanceTo(point) < leastPixels);
      if (mates) mates.people.push(one);
      else groups.push({ point, people: [one] });
    }
    for (const { people: here, point } of groups) {
      const label = t("cellLabel", {
        n: here.length, names: here.map(({ userId }) => person(userId)).join(", "),
      });
      const aside = point.distanceTo(mine) < asidePixels ? " aside" : "";
      this.#drawn.addLayer(L.marker(this.#at(here[0]), {
        icon: L.divIcon({
          className: `marker ticket${aside}`, iconSize: [0, 0],
          html: make("span", { className: "pill" }, make("em", {}, String(here.length))),
        }),
        title: label, alt: label, zIndexOffset: 1300, keyboard: false,
      }));
    }
  }
}
