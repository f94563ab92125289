// Where many are: hexagons of one size on the screen, coloured by how many stand in each, counted from
// the layer's own tiles two zooms finer than the view.

import { project } from "./outline.js";
import { clustersFromTiles, tilesIn } from "./tiles.js";
import { throttle } from "./throttle.js";
import { clusterZoom, viewportBox } from "./viewport.js";

const radiusPixels = 15;
const finerZooms = 2;
const mostTiles = 100;
const intervalMilliseconds = 1500;

/** Column and row of the hexagon, flat at its top, that holds a point in pixels. */
function hexagonAt(x, y) {
  const q = (2 / 3 * x) / radiusPixels;
  const r = (-1 / 3 * x + Math.sqrt(3) / 3 * y) / radiusPixels;
  let [column, row] = [Math.round(q), Math.round(r)];
  const third = Math.round(-q - r);
  const [dq, dr, dt] = [Math.abs(column - q), Math.abs(row - r), Math.abs(third + q + r)];
  if (dq > dr && dq > dt) column = -row - third;
  else if (dr > dt) row = -column - third;
  return [column, row];
}

const middleOf = (column, row) =>
  [radiusPixels * 1.5 * column, radiusPixels * Math.sqrt(3) * (row + column / 2)];

/** `[{x, y, count, weight}]` in world units for a map's zoom; weights are 0...1. */
export function hexagons(clusters, zoom) {
  const scale = 256 * 2 ** zoom;
  const cells = new Map();
  for (const { latitude, longitude, pointCount } of clusters) {
    const [x, y] = project([longitude, latitude]);
    const [column, row] = hexagonAt(x * scale, y * scale);
    const key = `${column} ${row}`;
    const cell = cells.get(key) ?? { column, row, count: 0 };
    cell.count += pointCount;
    cells.set(key, cell);
  }
  const most = Math.max(2, ...[...cells.values()].map(({ count }) => count));
  return [...cells.values()].map(({ column, row, count }) => {
    const [x, y] = middleOf(column, row);
    return {
      x: x / scale, y: y / scale, radius: radiusPixels, count,
      weight: Math.log(count + 1) / Math.log(most + 1),
    };
  });
}

export class HeatView {
  #map;
  #scene;
  #subject;
  #onError;
  #isOn = false;
  #question = 0;
  #asks = throttle(() => this.#ask(), intervalMilliseconds);
  hexagons = [];

  constructor(map, scene, subject, onError) {
    this.#map = map;
    this.#scene = scene;
    this.#subject = subject;
    this.#onError = onError;
  }

  set isOn(on) {
    this.#isOn = on;
    this.#question += 1;
    if (on) this.#asks();
    else this.forget();
  }

  answered() {
    if (this.#isOn) this.#asks();
  }

  forget() {
    this.#question += 1;
    this.hexagons = [];
    this.#scene.showHexagons([], 0);
  }

  async #ask() {
    const question = ++this.#question;
    const { layer, tags, where } = this.#subject();
    if (!layer || !this.#isOn || this.#map.getZoom() === undefined) return;
    const box = viewportBox(this.#map);
    const zoom = Math.round(this.#map.getZoom());
    let finer = Math.min(16, clusterZoom(this.#map) + finerZooms);
    while (finer > 0 && tilesIn({ ...box, zoom: finer }).length > mostTiles) finer -= 1;
    try {
      const { clusters } = await clustersFromTiles(layer, { ...box, zoom: finer, tags, where });
      if (question !== this.#question) return;
      this.hexagons = hexagons(clusters, zoom);
      this.#scene.showHexagons(this.hexagons, zoom);
    } catch (error) {
      if (question === this.#question) this.#onError(error);
    }
  }
}
