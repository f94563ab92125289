// Names on the map that stand beside circles, not under them: each at its place where that is free,
// else just below or above what stands there, else not at all.

import { make } from "./elements.js";
import { throttle } from "./throttle.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
const paneName = "placenames";
/** Circles move with each answer; names follow no more often than this. */
const intervalMilliseconds = 700;
const gapPixels = 3;
/** A name this far from its place would be taken for another's. */
const maximumShiftPixels = 34;

const overlaps = (a, b) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function coversCircle({ left, right, top, bottom }, { x, y, radius }) {
  const [dx, dy] = [
    x - Math.max(left, Math.min(x, right)), y - Math.max(top, Math.min(y, bottom))];
  return dx * dx + dy * dy < radius * radius;
}

export class Labels {
  #map;
  #circles;
  /** By who owns them: `[{marker, span, place, size, shift}]`, the most important first. */
  #owned = new Map();
  /** Sets all names anew, soon. */
  arrange = throttle(() => this.#arrange(), intervalMilliseconds);

  /** @param circles answers `[{x, y, radius}]`, in pixels of the map's container. */
  constructor(map, circles) {
    this.#map = map;
    this.#circles = circles;
    const pane = map.createPane(paneName);
    pane.style.zIndex = "350";
    pane.style.pointerEvents = "none";
    map.on("moveend", () => this.#arrange());
  }

  /** Shows an owner's names instead of those before: `[{text, latitude, longitude, className}]`. */
  show(owner, names) {
    const before = this.#owned.get(owner) ?? [];
    const kept = new Map(before.map((one) => [one.key, one]));
    const centre = this.#map.getCenter().lng;
    this.#owned.set(owner, names.map(({ text, latitude, longitude, className }) => {
      const place = [latitude, nearestCopy(longitude, centre)];
      const key = `${text} ${className} ${place}`;
      const known = kept.get(key);
      kept.delete(key);
      return known ?? this.#make(key, text, place, className);
    }));
    for (const { marker } of kept.values()) marker.remove();
    this.#arrange();
  }

  #make(key, text, place, className) {
    const span = make("span", {}, text);
    const icon = L.divIcon({ className: `map-name ${className}`, html: span, iconSize: [0, 0] });
    const marker = L.marker(place, { icon, pane: paneName, interactive: false, keyboard: false });
    marker.addTo(this.#map);
    return { key, marker, span, place, size: [span.offsetWidth, span.offsetHeight], shift: 0 };
  }

  #arrange() {
    const { x: width, y: height } = this.#map.getSize();
    const circles = this.#circles()
      .filter(({ x, y }) => x > -60 && y > -60 && x < width + 60 && y < height + 60);
    const taken = [];
    for (const one of [...this.#owned.values()].flat()) {
      const box = this.#free(one, circles, taken);
      one.span.classList.toggle("covered", box === undefined);
      if (!box) continue;
      taken.push(box);
      one.span.style.marginTop = `${one.shift}px`;
    }
  }

  /** Where a name can stand, its shift set to get there; as it stands now if that is free still. */
  #free(one, circles, taken) {
    const { x, y } = this.#map.latLngToContainerPoint(one.place);
    const [halfWidth, halfHeight] = [one.size[0] / 2, one.size[1] / 2];
    const boxAt = (shift) => ({
      left: x - halfWidth, right: x + halfWidth,
      top: y + shift - halfHeight, bottom: y + shift + halfHeight,
    });
    const isFree = (box) => !circles.some((circle) => coversCircle(box, circle))
      && !taken.some((other) => overlaps(box, other));
    const near = circles.filter((circle) => coversCircle(boxAt(0), circle));
    const reach = (circle) => circle.radius + gapPixels + halfHeight;
    const shifts = [one.shift, 0,
      ...near.map((circle) => circle.y + reach(circle) - y),
      ...near.map((circle) => circle.y - reach(circle) - y)];
    for (const shift of shifts) {
      if (Math.abs(shift) > maximumShiftPixels || !isFree(boxAt(shift))) continue;
      one.shift = shift;
      return boxAt(shift);
    }
    return undefined;
  }
}
