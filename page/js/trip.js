// A ride drawn over everything: the taxi's way as a lit line with its price on it, the walk dotted,
// and pins where somebody gets in and out.

import { make } from "./elements.js";
import { fitToFree } from "./freemap.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
/** A way that is an estimate is drawn as a bow: no street looks like that, and none is claimed. */
const bowHeight = 0.09;
const bowSteps = 28;

/** Points of a bow from one place to another, bent to the left of the way. */
function bow([fromLng, fromLat], [toLng, toLat]) {
  const stretch = Math.cos((((fromLat + toLat) / 2) * Math.PI) / 180);
  const [dx, dy] = [(toLng - fromLng) * stretch, toLat - fromLat];
  return Array.from({ length: bowSteps + 1 }, (_, i) => {
    const t = i / bowSteps;
    const height = 4 * bowHeight * t * (1 - t);
    return [
      fromLng + (toLng - fromLng) * t - (dy * height) / stretch, fromLat + dy * t + dx * height,
    ];
  });
}

const curved = (path) =>
  path.slice(1).flatMap((point, i) => bow(path[i], point).slice(i === 0 ? 0 : 1));

/** The point at a share of the length of a path of `[latitude, longitude]`. */
function pointAlong(points, share) {
  const lengths = points.slice(1).map(([lat, lng], i) =>
    Math.hypot(lat - points[i][0], (lng - points[i][1]) * Math.cos((lat * Math.PI) / 180)));
  let rest = lengths.reduce((sum, one) => sum + one, 0) * share;
  for (const [i, length] of lengths.entries()) {
    if (rest <= length) {
      const t = length === 0 ? 0 : rest / length;
      return points[i].map((v, axis) => v + (points[i + 1][axis] - v) * t);
    }
    rest -= length;
  }
  return points.at(-1);
}

/** Where a price may stand on its line, the middle first. */
const priceShares = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];
const priceClearance = 90;
/** How far the words of a pin reach beside it. */
const labelPixels = 90;

export class Trip {
  #map;
  #drawn = L.layerGroup();
  #renderer;
  #places = [];
  #pins = [];
  #line = [];

  constructor(map) {
    this.#map = map;
    const pane = map.createPane("trip");
    // Above all markers, below popups.
    pane.style.zIndex = "640";
    pane.style.pointerEvents = "none";
    this.#renderer = L.svg({ pane: "trip", padding: 0.5 });
    this.#drawn.addTo(map);
  }

  clear() {
    this.#drawn.clearLayers();
    this.#places = [];
    this.#pins = [];
    this.#line = [];
  }

  /** Where pins, their words and the price stand on the screen. */
  get boxes() {
    return [...this.#map.getPane("trip").querySelectorAll(".pin, .trip-price > span")]
      .map((one) => one.getBoundingClientRect());
  }

  #at([longitude, latitude]) {
    return [latitude, nearestCopy(longitude, this.#map.getCenter().lng)];
  }

  #stroke(points, className) {
    this.#drawn.addLayer(L.polyline(points, {
      className, interactive: false, renderer: this.#renderer, pane: "trip", smoothFactor: 0.5,
    }));
  }

  /** A pin with words beside it; `kind` is `start`, `you`, `board`, `alight` or `end`. */
  pin({ latitude, longitude }, kind, text) {
    const place = this.#at([longitude, latitude]);
    this.#places.push(place);
    this.#pins.push(place);
    const content = make("div", { className: `pin pin-${kind}` },
      make("i", {}), text ? make("span", {}, text) : undefined);
    this.#drawn.addLayer(L.marker(place, {
      icon: L.divIcon({ className: "trip-pin", html: content, iconSize: [0, 0] }),
      interactive: false, keyboard: false, pane: "trip",
    }));
  }

  /** Where somebody goes on foot. */
  walk(from, to) {
    const points = [from, to].map(({ latitude, longitude }) => this.#at([longitude, latitude]));
    this.#places.push(...points);
    this.#stroke(points, "trip-walk");
  }

  /** The taxi's way: `route` as a party or a preview has it. */
  ride(route) {
    const path = route.path.length < 2 ? route.path
      : route.source === "estimate" ? curved(route.path) : route.path;
    const points = path.map((one) => this.#at(one));
    if (points.length < 2) return;
    this.#line = points;
    this.#places.push(...points);
    for (const className of ["trip-glow", "trip-line", "trip-flow"]) this.#stroke(points, className);
  }

  /** A price on the line, where no pin stands, with the seats beside it as `pips`. */
  price(text, pips) {
    if (this.#line.length < 2) return;
    const box = L.latLngBounds(this.#line);
    const zoom = this.#map.getBoundsZoom(box);
    const pins = this.#pins.map((pin) => this.#map.project(pin, zoom));
    const clearance = (share) => {
      const at = this.#map.project(pointAlong(this.#line, share), zoom);
      return Math.min(...pins.map((pin) => pin.distanceTo(at)));
    };
    const share = priceShares.find((one) => clearance(one) >= priceClearance) ?? priceShares[0];
    this.#drawn.addLayer(L.marker(pointAlong(this.#line, share), {
      icon: L.divIcon({ className: "trip-price", html: make("span", {}, text, pips), iconSize: [0, 0] }),
      interactive: false, keyboard: false, pane: "trip",
    }));
  }

  /** Moves the map so that all of it is seen. */
  fit() {
    const labels = this.#map.getSize().x < 640 ? 20 : labelPixels;
    if (this.#places.length > 1) fitToFree(this.#map, this.#places, { maxZoom: 15, labels });
  }
}
