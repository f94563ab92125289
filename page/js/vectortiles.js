// A vector base map, or roads over the outline, from `{z}/{x}/{y}` tiles (MVT), drawn plainly on canvas in the page's colours.
// Layers are told apart by the names that the common schemas (OpenMapTiles, Shortbread) use.

import { readTile } from "./mvt.js";
import { palette } from "./outline.js";

const L = window.L;

/** First match wins; drawn in this order. */
const rules = [
  { name: /^(ocean|sea)/, type: 3, fill: "sea" },
  { name: /^(land|park|green|wood|site)/, type: 3, fill: "city" },
  { name: /^water/, type: 3, fill: "river" },
  { name: /^(water|river|stream)/, type: 2, stroke: "river", width: 1.5 },
  { name: /^building/, type: 3, fill: "line" },
  { name: /^roads$/, type: 2, stroke: "road", width: ({ speed }) => (speed >= 70 ? 4 : speed >= 45 ? 2.6 : 1.4) },
  { name: /^(road|street|transport|rail|ferr|bridge)/, type: 2, stroke: "coast", width: 1.2 },
  { name: /^(boundar|admin)/, type: 2, stroke: "city-line", width: 1, dash: [5, 4] },
  { name: /(^place|label)/, type: 1, text: "label" },
];

export const VectorTileLayer = L.GridLayer.extend({
  initialize(address, options) {
    L.GridLayer.prototype.initialize.call(this, options);
    this._address = address;
    this._palette = palette();
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => {
      this._palette = palette();
      this.redraw();
    });
    this.on("tileunload", ({ tile }) => tile.abort.abort());
  },

  createTile(coords, done) {
    const canvas = document.createElement("canvas");
    const size = this.getTileSize();
    const density = Math.min(3, window.devicePixelRatio || 1);
    canvas.width = size.x * density;
    canvas.height = size.y * density;
    const context = canvas.getContext("2d");
    context.scale(density, density);
    if (!this.options.isOverlay) {
      context.fillStyle = this._palette.land;
      context.fillRect(0, 0, size.x, size.y);
    }
    canvas.abort = new AbortController();
    const read = this.options.read ?? ((tile, signal) => this._read(tile, signal));
    read(coords, canvas.abort.signal)
      .then((bytes) => {
        if (bytes) paint(context, readTile(bytes), size.x, this._palette);
        done(null, canvas);
      })
      .catch((error) => error.name !== "AbortError" && done(error, canvas));
    return canvas;
  },

  async _read(coords, signal) {
    const address = L.Util.template(this._address, { s: "a", r: "", ...coords });
    const response = await fetch(address, { signal });
    if (response.status === 204 || response.status === 404) return undefined;
    if (!response.ok) throw new Error(`the base map answered ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  },
});

function paint(context, layers, size, colours) {
  context.lineJoin = context.lineCap = "round";
  for (const rule of rules) {
    for (const layer of layers) {
      const matches = (one) => one.type === rule.type && one.name.test(layer.name);
      if (rules.find(matches) !== rule) continue;
      for (const feature of layer.features) {
        if (feature.type === rule.type) draw(context, feature, rule, size / layer.extent, colours);
      }
    }
  }
}

function draw(context, { properties, paths }, rule, scale, colours) {
  if (rule.text) {
    const name = properties.name ?? properties["name:latin"];
    const [x, y] = paths[0]?.[0] ?? [];
    if (!name || x === undefined) return;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    context.strokeStyle = colours.halo;
    context.lineWidth = 3;
    context.strokeText(name, x * scale, y * scale);
    context.fillStyle = colours[rule.text];
    context.fillText(name, x * scale, y * scale);
    return;
  }
  context.beginPath();
  for (const path of paths) {
    path.forEach(([x, y], i) => context[i === 0 ? "moveTo" : "lineTo"](x * scale, y * scale));
    if (rule.fill) context.closePath();
  }
  if (rule.fill) {
    context.fillStyle = colours[rule.fill];
    context.fill();
  } else {
    context.setLineDash(rule.dash ?? []);
    context.strokeStyle = colours[rule.stroke];
    context.lineWidth = typeof rule.width === "function" ? rule.width(properties) : rule.width;
    context.stroke();
    context.setLineDash([]);
  }
}
