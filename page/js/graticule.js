// Degrees along the bottom and left edge of the map, at the lines that outline.js draws.

import { graticuleStep } from "./outline.js";

function text(degrees, step, [positive, negative]) {
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const rounded = Math.abs(degrees).toFixed(digits);
  const side = [0, 180].includes(Number(rounded)) ? "" : degrees > 0 ? positive : negative;
  return `${rounded}°${side}`;
}

/** Draws the labels of `map` and keeps them current. */
export function addGraticuleLabels(map) {
  const box = document.createElement("div");
  box.className = "graticule";
  box.setAttribute("aria-hidden", "true");
  map.getContainer().append(box);
  const draw = () => box.replaceChildren(...labels(map));
  map.on("move zoom resize", draw);
  draw();
}

function labels(map) {
  const step = graticuleStep(Math.round(map.getZoom()));
  const bounds = map.getBounds();
  const middle = map.getCenter();
  const size = map.getSize();
  const spans = [];
  const add = (className, label, property, pixels) => {
    const span = document.createElement("span");
    span.className = className;
    span.textContent = label;
    span.style[property] = `${Math.round(pixels)}px`;
    spans.push(span);
  };
  for (let i = Math.ceil(bounds.getWest() / step); i * step < bounds.getEast(); i++) {
    const longitude = i * step;
    const wrapped = longitude - 360 * Math.floor((longitude + 180) / 360);
    const { x } = map.latLngToContainerPoint([middle.lat, longitude]);
    // Corners belong to the controls.
    if (x > size.x - 125) break;
    add("longitude", text(wrapped, step, ["E", "W"]), "left", x);
  }
  const [south, north] = [Math.max(-85, bounds.getSouth()), Math.min(85, bounds.getNorth())];
  for (let i = Math.ceil(south / step); i * step < north; i++) {
    const { y } = map.latLngToContainerPoint([i * step, middle.lng]);
    if (y < 120 || y > size.y - 60) continue;
    add("latitude", text(i * step, step, ["N", "S"]), "top", y);
  }
  return spans;
}
