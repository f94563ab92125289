// What stands for the drawn circles to keyboards, screen readers and pointers: a focusable element
// over each, kept from one answer to the next by its id. The scene draws; these are seen only as a
// ring around what has the focus.

import { count } from "./format.js";
import { keyOf, kindOf } from "./flock.js";
import { t } from "./language.js";
import { latitudeAt } from "./outline.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
/** More elements than this slow a page down; what lies beyond can be clicked all the same. */
const mostElements = 600;
const leastPixels = 16;

function className(cluster) {
  const kind = kindOf(cluster);
  return kind.startsWith("tier") ? `marker cluster ${kind}` : `marker ${kind}`;
}

/** The accessible name: what it is and what Enter does. */
function label(cluster) {
  const { pointCount, coincident, tags } = cluster;
  if (pointCount === 1) return t("showsDetails", { name: [nameOf(cluster), ...(tags ?? [])].join(", ") });
  return t(coincident ? "stackLabel" : "clusterLabel", { n: count(pointCount) });
}

/** What an object is called: by its own attribute `name`, else by its id. */
export const nameOf = ({ id, attributes }) => attributes?.name || id;

export class ClusterLayer {
  #map;
  #scene;
  #markers = new Map();
  #onActivate;
  /** What is on the map, as the daemon answered it. */
  clusters = [];

  /** @param onActivate called with a cluster and its element on click, Enter or Space. */
  constructor(map, scene, onActivate) {
    this.#map = map;
    this.#scene = scene;
    this.#onActivate = onActivate;
  }

  get sumOfCounts() {
    return this.clusters.reduce((sum, cluster) => sum + cluster.pointCount, 0);
  }

  /** Replaces what is shown; `live` tells of changes while the view stood still. */
  show(clusters, { live = false, zoom = Math.round(this.#map.getZoom()) } = {}) {
    this.clusters = clusters;
    this.#scene.show(clusters, { zoom, live });
    const centre = this.#map.getCenter().lng;
    const gone = new Map(this.#markers);
    // Largest first: the tab order starts with what stands out.
    const items = this.#scene.flock.items
      .sort((a, b) => b.cluster.pointCount - a.cluster.pointCount).slice(0, mostElements);
    for (const item of items) {
      const { cluster } = item;
      const key = keyOf(cluster);
      // Where the circle is drawn, which may have made way for another.
      const place = [latitudeAt(item.y), nearestCopy((item.x - 0.5) * 360, centre)];
      const marker = gone.get(key);
      gone.delete(key);
      if (marker) this.#update(marker, item, place);
      else this.#markers.set(key, this.#add(key, item, place));
    }
    for (const [key, marker] of gone) this.#drop(key, marker);
  }

  clear() {
    this.show([]);
    this.#scene.clear();
  }

  #add(key, item, place) {
    const marker = L.marker(place, {
      icon: this.#icon(item), keyboard: true,
      zIndexOffset: Math.min(item.cluster.pointCount, 1000),
    });
    marker.cluster = item.cluster;
    marker.pixels = Math.round(item.radius);
    marker.on("click", () => this.#onActivate(marker.cluster, marker.getElement()));
    marker.addTo(this.#map);
    const element = marker.getElement();
    element.setAttribute("role", "button");
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      this.#onActivate(marker.cluster, element);
    });
    for (const event of ["mouseenter", "focus"]) {
      element.addEventListener(event, () => this.#scene.highlight(key));
    }
    for (const event of ["mouseleave", "blur"]) {
      element.addEventListener(event, () => this.#scene.highlight(undefined));
    }
    this.#name(marker);
    return marker;
  }

  #update(marker, item, place) {
    const before = marker.cluster;
    const { cluster } = item;
    const pixels = Math.round(item.radius);
    marker.cluster = cluster;
    const { lat, lng } = marker.getLatLng();
    if (lat !== place[0] || lng !== place[1]) marker.setLatLng(place);
    if (className(before) !== className(cluster) || marker.pixels !== pixels) {
      // The element stays, and with it the focus.
      const element = marker.getElement();
      const size = Math.max(leastPixels, 2 * pixels);
      element.className = element.className.replace(/marker .*?(?= leaflet)/, className(cluster));
      Object.assign(element.style, {
        width: `${size}px`, height: `${size}px`, marginLeft: `${-size / 2}px`,
        marginTop: `${-size / 2}px`,
      });
      marker.options.icon = this.#icon(item);
      marker.pixels = pixels;
    }
    this.#name(marker);
  }

  #name(marker) {
    const element = marker.getElement();
    const name = label(marker.cluster);
    if (element.getAttribute("aria-label") === name) return;
    element.setAttribute("aria-label", name);
    element.title = marker.cluster.pointCount === 1
      ? nameOf(marker.cluster) : count(marker.cluster.pointCount);
  }

  #icon({ cluster, radius }) {
    const size = Math.max(leastPixels, 2 * Math.round(radius));
    return L.divIcon({ className: className(cluster), html: "", iconSize: [size, size] });
  }

  #drop(key, marker) {
    const focused = marker.getElement() === document.activeElement;
    if (this.#scene.highlighted === key) this.#scene.highlight(undefined);
    marker.remove();
    this.#markers.delete(key);
    // Keyboard users stay on the map when their cluster dissolves.
    if (focused) this.#map.getContainer().focus({ preventScroll: true });
  }
}
