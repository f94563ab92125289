// The base map that needs no tile server: our own coarse outline of land, Seoul and the Han, with a
// graticule, drawn on canvas tiles. Coordinates are drawn by hand for this project (see
// outline.geojson), good for orientation and for nothing else.

import { language } from "./language.js";

const L = window.L;

/** Degrees between lines, widest first; whole divisors, so that labels stay short. */
const steps = [
  30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002,
];
const leastSpacingPixels = 110;
/** Korean names for those who read the page in Korean, and so have a font for it. */
const korean = language === "ko";
const equatorMeters = 40_075_016.7;

/** The graticule's spacing in degrees at a zoom. */
export function graticuleStep(zoom) {
  const pixelsPerDegree = (256 * 2 ** zoom) / 360;
  return steps.findLast((step) => step * pixelsPerDegree >= leastSpacingPixels) ?? steps[0];
}

/** Web Mercator in units of the world's width: 0...1 from west to east and north to south. */
export function project([longitude, latitude]) {
  const sine = Math.sin((Math.max(-85.06, Math.min(85.06, latitude)) * Math.PI) / 180);
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/** The latitude at a height of the projected world, 0...1 from north to south. */
export const latitudeAt = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;

/** Features as `{kind, path, box, ...properties}` in world units. */
export function prepare(geojson) {
  return geojson.features.map(({ properties, geometry }) => {
    const { type, coordinates } = geometry;
    const raw = { Point: [coordinates], Polygon: coordinates[0], LineString: coordinates }[type];
    const path = raw.map(project);
    const [xs, ys] = [path.map((p) => p[0]), path.map((p) => p[1])];
    return {
      ...properties, path,
      box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)],
    };
  });
}

/** Keeps the names of the outline's places current, as `labels` shows them. */
export function addOutlineNames(map, features, labels) {
  const places = features.filter(({ kind }) => kind === "place").sort((a, b) => a.rank - b.rank)
    .map(({ path: [[x, y]], name, nameKorean, rank, minZoom, maxZoom }) => ({
      minZoom, maxZoom, latitude: latitudeAt(y), longitude: (x - 0.5) * 360,
      text: (korean && nameKorean) || name, className: `outline-name rank-${rank}`,
    }));
  const show = () => {
    const zoom = Math.round(map.getZoom());
    labels.show("outline", places.filter((one) => one.minZoom <= zoom && zoom <= one.maxZoom));
  };
  map.on("moveend", show);
  show();
}

/** Colours come from the style sheet, so that light and dark follow it. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--map-${name}`).trim();
  return Object.fromEntries(
    ["sea", "land", "coast", "city", "city-line", "river", "line", "road", "label", "halo"]
      .map((name) => [name, colour(name)]));
}

export const OutlineLayer = L.GridLayer.extend({
  options: { attribution: "Outline: Moyeo, drawn by hand", tileSize: 256, updateWhenIdle: false },

  initialize(features, options) {
    L.GridLayer.prototype.initialize.call(this, options);
    this._features = features;
    this._palette = palette();
    for (const query of ["(prefers-color-scheme: light)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => {
        this._palette = palette();
        this.redraw();
      });
    }
  },

  createTile(coords) {
    const canvas = document.createElement("canvas");
    const size = this.getTileSize().x;
    const density = Math.min(3, window.devicePixelRatio || 1);
    canvas.width = canvas.height = size * density;
    const context = canvas.getContext("2d");
    context.scale(density, density);
    const scale = size * 2 ** coords.z;
    new TilePainter(context, this._palette, { scale, size, coords }).paint(this._features);
    return canvas;
  },
});

class TilePainter {
  constructor(context, colours, { scale, size, coords }) {
    Object.assign(this, { context, colours, scale, size, zoom: coords.z });
    this.left = coords.x * size;
    this.top = coords.y * size;
  }

  paint(features) {
    const { context, size, colours } = this;
    context.fillStyle = colours.sea;
    context.fillRect(0, 0, size, size);
    context.lineJoin = context.lineCap = "round";
    const seen = [];
    for (const copy of this.#copies()) {
      for (const feature of features) {
        if (this.#touches(feature, copy)) seen.push([feature, copy]);
      }
    }
    const of = (kind) => seen.filter(([feature]) => feature.kind === kind);
    // Coast lines first, then land: neighbouring shapes cover the seams between them.
    for (const [feature, copy] of of("land")) this.#stroke(feature, copy, colours.coast, 2.5);
    for (const [feature, copy] of of("land")) this.#fill(feature, copy, colours.land);
    for (const [feature, copy] of of("water")) this.#fill(feature, copy, colours.sea);
    if (this.zoom >= 7) {
      for (const [feature, copy] of of("city")) this.#fill(feature, copy, colours.city);
      for (const [feature, copy] of of("river")) this.#river(feature, copy);
      for (const [feature, copy] of of("city")) {
        this.#stroke(feature, copy, colours["city-line"], 1.5, [6, 4]);
      }
    }
    this.#graticule();
  }

  /** The copies of the world, in whole turns, that this tile may show parts of. */
  #copies() {
    const turn = Math.floor(this.left / this.scale);
    return [turn - 1, turn, turn + 1];
  }

  #x(x, copy) {
    return (x + copy) * this.scale - this.left;
  }

  #y(y) {
    return y * this.scale - this.top;
  }

  #touches({ box }, copy) {
    const margin = 90; // Wide lines reach into neighbouring tiles.
    return this.#x(box[2], copy) > -margin && this.#x(box[0], copy) < this.size + margin
      && this.#y(box[3]) > -margin && this.#y(box[1]) < this.size + margin;
  }

  /** A curve through the middles of the sides: coarse corners come out round. */
  #trace({ path, kind }, copy) {
    const { context } = this;
    const points = path.map(([x, y]) => [this.#x(x, copy), this.#y(y)]);
    const middle = ([ax, ay], [bx, by]) => [(ax + bx) / 2, (ay + by) / 2];
    const open = kind === "river";
    context.beginPath();
    context.moveTo(...(open ? points[0] : middle(points.at(-2), points[0])));
    // The last point of a ring is its first again.
    for (let i = 0; i < points.length - 1; i++) {
      context.quadraticCurveTo(...points[i], ...middle(points[i], points[i + 1]));
    }
    if (open) context.lineTo(...points.at(-1));
    else context.closePath();
  }

  #fill(feature, copy, colour) {
    this.#trace(feature, copy);
    this.context.fillStyle = colour;
    this.context.fill();
  }

  #stroke(feature, copy, colour, width, dash = []) {
    this.#trace(feature, copy);
    this.context.setLineDash(dash);
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.stroke();
    this.context.setLineDash([]);
  }

  #river(feature, copy) {
    const [, y] = feature.path[0];
    const metersPerPixel =
      (equatorMeters * Math.cos((latitudeAt(y) * Math.PI) / 180)) / this.scale;
    const width = feature.widthMeters / metersPerPixel;
    if (width < 0.4) return;
    this.#stroke(feature, copy, this.colours.river, Math.max(width, 1));
  }

  #graticule() {
    const { context, size, scale } = this;
    const step = graticuleStep(this.zoom);
    context.beginPath();
    const west = (this.left / scale - 0.5) * 360;
    const east = ((this.left + size) / scale - 0.5) * 360;
    for (let i = Math.ceil(west / step); i * step < east; i++) {
      // Half a pixel, so that a line fills one pixel column.
      const x = Math.round(this.#x((i * step) / 360 + 0.5, 0)) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, size);
    }
    const north = latitudeAt(this.top / scale);
    const south = latitudeAt((this.top + size) / scale);
    for (let i = Math.ceil(south / step); i * step <= north; i++) {
      const y = Math.round(this.#y(project([0, i * step])[1])) + 0.5;
      context.moveTo(0, y);
      context.lineTo(size, y);
    }
    context.strokeStyle = this.colours.line;
    context.lineWidth = 1;
    context.stroke();
  }
}
