// Clusters and single objects as markers, kept from one answer to the next by their id.

import { abbreviate, count } from "./format.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;

/** Diameter of a marker in pixels, growing with the logarithm of its count. */
function diameter({ pointCount, coincident }) {
  if (pointCount === 1) return 16;
  return Math.min(66, Math.round((coincident ? 26 : 25) + 7.5 * Math.log10(pointCount)));
}

function kind({ pointCount, coincident }) {
  if (pointCount === 1) return "single";
  if (coincident) return "stack";
  return `cluster tier-${Math.min(4, Math.floor(Math.log10(pointCount)))}`;
}

/** The accessible name: what it is and what Enter does. */
function label({ id, pointCount, coincident, tags }) {
  if (pointCount === 1) {
    return `${id}${tags?.length ? `, ${tags.join(", ")}` : ""}. Shows details.`;
  }
  const objects = `${count(pointCount)} objects`;
  return coincident
    ? `${objects} at one position. Lists them.`
    : `Cluster of ${objects}. Zooms in.`;
}

export class ClusterLayer {
  #map;
  #markers = new Map();
  #onActivate;
  #settled = 0;
  /** What is on the map, as the daemon answered it. */
  clusters = [];

  /** @param onActivate called with a cluster and its marker on click, Enter or Space. */
  constructor(map, onActivate) {
    this.#map = map;
    this.#onActivate = onActivate;
  }

  get sumOfCounts() {
    return this.clusters.reduce((sum, cluster) => sum + cluster.pointCount, 0);
  }

  /** Replaces what is shown. `glide` lets markers that stay move smoothly to their new place. */
  show(clusters, { glide = false } = {}) {
    this.clusters = clusters;
    if (glide) this.#glide();
    const centre = this.#map.getCenter().lng;
    const gone = new Map(this.#markers);
    // Largest first: the tab order starts with what stands out.
    for (const cluster of [...clusters].sort((a, b) => b.pointCount - a.pointCount)) {
      // An object's own id may look like a cluster's: never mix the two.
      const key = `${cluster.pointCount === 1 ? "o" : "c"}${cluster.id}`;
      const place = [cluster.latitude, nearestCopy(cluster.longitude, centre)];
      const marker = gone.get(key);
      if (marker && !gone.delete(key)) continue;
      if (marker) this.#update(marker, cluster, place);
      else this.#markers.set(key, this.#add(cluster, place));
    }
    for (const [key, marker] of gone) this.#drop(key, marker);
  }

  clear() {
    this.show([]);
  }

  #add(cluster, place) {
    const marker = L.marker(place, {
      icon: this.#icon(cluster), riseOnHover: true, keyboard: true,
      zIndexOffset: Math.min(cluster.pointCount, 1000),
    });
    marker.cluster = cluster;
    marker.on("click", () => this.#onActivate(marker.cluster, marker));
    marker.addTo(this.#map);
    const element = marker.getElement();
    element.setAttribute("role", "button");
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      this.#onActivate(marker.cluster, marker);
    });
    this.#name(marker);
    return marker;
  }

  #update(marker, cluster, place) {
    const before = marker.cluster;
    marker.cluster = cluster;
    const { lat, lng } = marker.getLatLng();
    if (lat !== place[0] || lng !== place[1]) marker.setLatLng(place);
    if (before.pointCount !== cluster.pointCount || before.coincident !== cluster.coincident) {
      marker.setIcon(this.#icon(cluster));
      marker.getElement().setAttribute("role", "button");
    }
    this.#name(marker);
  }

  #name(marker) {
    const element = marker.getElement();
    const name = label(marker.cluster);
    if (element.getAttribute("aria-label") === name) return;
    element.setAttribute("aria-label", name);
    element.title =
      marker.cluster.pointCount === 1 ? marker.cluster.id : count(marker.cluster.pointCount);
  }

  #icon(cluster) {
    const size = diameter(cluster);
    const text = document.createElement("span");
    if (cluster.pointCount > 1) text.textContent = abbreviate(cluster.pointCount);
    return L.divIcon({ className: `marker ${kind(cluster)}`, html: text, iconSize: [size, size] });
  }

  #drop(key, marker) {
    const focused = marker.getElement() === document.activeElement;
    marker.remove();
    this.#markers.delete(key);
    // Keyboard users stay on the map when their cluster dissolves.
    if (focused) this.#map.getContainer().focus({ preventScroll: true });
  }

  #glide() {
    const pane = this.#map.getPane("markerPane");
    pane.classList.add("glide");
    clearTimeout(this.#settled);
    this.#settled = setTimeout(() => pane.classList.remove("glide"), 450);
    // A view change repositions every marker: that must not be animated.
    this.#map.once("zoomstart movestart", () => pane.classList.remove("glide"));
  }
}
