// The living part of the map: a canvas of our own over Leaflet, on which clusters, objects and lights
// ease from place to place. It follows each pan and zoom of the map by itself.

import { onColoursChanged, sceneColours } from "./colours.js";
import { FlatPainter } from "./flatpainter.js";
import { Flock } from "./flock.js";
import { fieldsOfSprite, GLPainter, shapes } from "./glpainter.js";
import { Glyphs } from "./glyphs.js";
import { latitudeAt, project } from "./outline.js";
import { Sparks } from "./sparks.js";
import { Splats } from "./splats.js";
import { Swarm } from "./swarm.js";

const L = window.L;
const zoomAnimationSeconds = 0.25;
/** While nothing moves the lights still breathe, this often. */
const breathMilliseconds = 90;
const keptFrameTimes = 600;
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/** Leaflet's own curve of a zoom: cubic-bezier(0, 0, 0.25, 1). */
function zoomCurve(t) {
  let [low, high] = [0, 1];
  for (let i = 0; i < 20; i++) {
    const s = (low + high) / 2;
    const x = 3 * s * s * (1 - s) * 0.25 + s ** 3;
    if (x < t) low = s;
    else high = s;
  }
  return 3 * low * low * (1 - low) + low ** 3;
}

const blend = (a, b, t) => a.map((v, i) => v + (b[i] - v) * t);

export class Scene {
  #map;
  #canvas;
  /** Below the first: points, where no graphics card draws them. */
  #under;
  #splats;
  #painter;
  #glyphs;
  #colours;
  #frame = 0;
  #timer = 0;
  #until = 0;
  #zooming;
  #sprites = new Float32Array(4096 * fieldsOfSprite);
  #lines = new Float32Array(1024 * 6);
  #hexagons = [];
  #hexagonsBegan = 0;
  #dim = 1;
  #dimFrom = 1;
  #dimBegan = -10;
  flock;
  sparks = new Sparks();
  /** The fine lights below the clusters, or every object of a layer. */
  lights = new Swarm();
  /** Key of the item under the pointer or with the focus. */
  highlighted;
  showsFlock = true;
  /** Whether each light is an object that can be clicked. */
  picksLights = false;
  /** What the last frame held, how many there were, and how long they took, in milliseconds. */
  probe = {
    frames: 0, painter: undefined, drawn: { lights: 0, clusters: 0, numbers: 0, hexagons: 0,
      pulses: 0, trails: 0, copies: 0 },
    intervals: [], drawTimes: [],
  };

  constructor(map) {
    this.#map = map;
    const pane = map.createPane("life");
    pane.style.zIndex = "590";
    pane.style.pointerEvents = "none";
    this.#canvas = document.createElement("canvas");
    this.#canvas.className = "life";
    this.#canvas.setAttribute("aria-hidden", "true");
    this.#under = this.#canvas.cloneNode();
    this.#under.className = "life-points";
    pane.append(this.#under, this.#canvas);
    this.#colours = sceneColours();
    this.#begin();
    this.flock = new Flock(this.#glyphs, this.sparks);
    map.on("move viewreset", () => this.#moved());
    map.on("resize", () => this.#resize());
    map.on("zoomanim", ({ center, zoom }) => this.#zoom(center, zoom));
    map.on("zoomend", () => { this.#zooming = undefined; });
    onColoursChanged(() => {
      this.#colours = sceneColours();
      this.wake();
    });
    reduced.addEventListener("change", () => this.wake());
    document.addEventListener("visibilitychange", () => this.wake());
    this.#canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.#canvas.addEventListener("webglcontextrestored", () => {
      this.#painter.restore();
      this.#painter.takeGlyphs(this.#glyphs);
      this.wake();
    });
    this.#resize();
  }

  #begin() {
    this.#painter = GLPainter.make(this.#canvas) ?? new FlatPainter(this.#canvas);
    this.probe.painter = this.#painter.name;
    if (this.#painter.isSoftware) this.#splats = new Splats(this.#under);
    this.#glyphs = new Glyphs(this.#density);
    this.#painter.takeGlyphs(this.#glyphs);
  }

  get #density() {
    return Math.min(2, window.devicePixelRatio || 1);
  }

  /** Whether the system asks for no motion. */
  get isStill() {
    return reduced.matches;
  }

  get seconds() {
    return performance.now() / 1000;
  }

  // MARK: what is shown

  /** An answer's clusters, for a zoom of the map. */
  show(clusters, { zoom, live }) {
    const { x } = this.#view();
    const duration = this.flock.show(clusters, {
      zoom, centre: x, live, seconds: this.seconds, isStill: this.isStill || document.hidden,
    });
    this.wake(duration);
  }

  /** `[{x, y, radius, weight}]` in world units but for the radius in pixels at `zoom`. */
  showHexagons(hexagons, zoom) {
    this.#hexagons = hexagons.map((one) => ({ ...one, zoom }));
    this.#hexagonsBegan = this.#hexagons.length > 0 && this.#hexagonsBegan === 0
      ? this.seconds : this.#hexagons.length > 0 ? this.#hexagonsBegan : 0;
    this.wake(0.5);
  }

  clear() {
    this.flock.clear();
    this.lights.clear();
    this.sparks.clear();
    this.showHexagons([], 0);
    this.wake();
  }

  /** Fades people so that something else stands out: 1 is as ever. */
  dim(strength) {
    if (this.#dim === strength) return;
    this.#dimFrom = this.#dimNow();
    this.#dim = strength;
    this.#dimBegan = this.isStill ? -10 : this.seconds;
    this.wake(0.5);
  }

  #dimNow() {
    const t = Math.min(1, (this.seconds - this.#dimBegan) / 0.4);
    return this.#dimFrom + (this.#dim - this.#dimFrom) * t;
  }

  pulse(latitude, longitude) {
    if (this.isStill) return;
    const [x, y] = project([longitude, latitude]);
    this.sparks.pulse(x, y, 12, "pulse", this.seconds);
    this.wake();
  }

  highlight(key) {
    if (this.highlighted === key) return;
    this.highlighted = key;
    this.wake();
  }

  /** What stands at a point of the map's container: `{item}` or `{light}`, in whichever copy. */
  pick({ x, y }) {
    const view = this.#view();
    const seconds = this.seconds;
    let best;
    let least = Infinity;
    this.flock.each(seconds, (item, at) => {
      if (item.isGone || !this.showsFlock) return;
      const dx = at.x - (view.x + (x - view.size[0] / 2) / view.scale);
      const distance = Math.hypot(
        (dx - Math.round(dx)) * view.scale, (at.y - view.y) * view.scale - (y - view.size[1] / 2));
      const excess = distance - Math.max(at.radius, 8);
      if (excess <= 0 && distance < least) [best, least] = [item, distance];
    });
    if (best) return { item: best };
    if (!this.picksLights || this.lights.count === 0) return undefined;
    const [wx, wy] = [
      view.x + (x - view.size[0] / 2) / view.scale, view.y + (y - view.size[1] / 2) / view.scale];
    const index = this.lights.nearest(wx, wy, 8 / view.scale, seconds);
    if (index === undefined) return undefined;
    const [lx, ly] = this.lights.place(index, seconds);
    return {
      light: this.lights.id(index), latitude: latitudeAt(ly),
      longitude: (lx - Math.floor(lx) - 0.5) * 360,
    };
  }

  // MARK: the view

  /** The map's view at this moment, in the middle of a zoom too. */
  #view() {
    const size = this.#map.getSize();
    const seconds = this.seconds;
    const { lat, lng } = this.#map.getCenter();
    let [x, y] = project([lng, lat]);
    let scale = 256 * 2 ** this.#map.getZoom();
    if (this.#zooming) {
      const { from, to, began } = this.#zooming;
      const t = zoomCurve(Math.min(1, (seconds - began) / zoomAnimationSeconds));
      scale = from.scale + (to.scale - from.scale) * t;
      const at = (name) =>
        (from[name] * from.scale * (1 - t) + to[name] * to.scale * t) / scale;
      [x, y] = [at("x"), at("y")];
    }
    const reach = (size.x / 2 + 60) / scale;
    const copies = [];
    for (let copy = Math.floor(x - reach); copy <= Math.floor(x + reach); copy++) copies.push(copy);
    return { x, y, scale, size: [size.x, size.y], copies, seconds };
  }

  #zoom({ lat, lng }, zoom) {
    const from = this.#view();
    const [x, y] = project([lng, lat]);
    this.#zooming = { from, to: { x, y, scale: 256 * 2 ** zoom }, began: this.seconds };
    this.wake(zoomAnimationSeconds + 0.1);
  }

  #moved() {
    const corner = this.#map.containerPointToLayerPoint([0, 0]);
    L.DomUtil.setPosition(this.#canvas, corner);
    L.DomUtil.setPosition(this.#under, corner);
    // At once: a frame later the canvas would lag behind the map.
    this.#draw();
    this.#isFresh = true;
  }

  #resize() {
    const { x, y } = this.#map.getSize();
    this.#canvas.style.width = `${x}px`;
    this.#canvas.style.height = `${y}px`;
    this.#painter.resize(x, y, this.#density);
    this.#splats?.resize(x, y);
    if (this.#map._loaded) this.#moved();
  }

  // MARK: frames

  /** Draws now, and on for some seconds. */
  wake(seconds = 0) {
    this.#until = Math.max(this.#until, this.seconds + seconds);
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#tick());
  }

  #last = 0;
  #isFresh = false;

  #tick() {
    this.#frame = 0;
    clearTimeout(this.#timer);
    if (document.hidden) return;
    const now = performance.now();
    if (this.#last) this.#note(this.probe.intervals, now - this.#last);
    // What a move has drawn already is not drawn twice in a frame.
    if (!this.#isFresh) this.#draw();
    this.#isFresh = false;
    const isMoving = this.#zooming || this.seconds < Math.max(this.#until, this.sparks.until);
    this.#last = isMoving || this.isMeasured ? now : 0;
    if (isMoving || this.isMeasured) this.wake();
    else if (!this.isStill) this.#timer = setTimeout(() => this.wake(), breathMilliseconds);
  }

  #note(list, value) {
    list.push(value);
    if (list.length > keptFrameTimes) list.shift();
  }

  #push(index, x, y, radius, shape, [red, green, blue], alpha) {
    const at = index * fieldsOfSprite;
    if (at + fieldsOfSprite > this.#sprites.length) {
      const larger = new Float32Array(this.#sprites.length * 2);
      larger.set(this.#sprites);
      this.#sprites = larger;
    }
    this.#sprites.set([x, y, radius, shape, red, green, blue, alpha], at);
    return index + 1;
  }

  /** Calls `draw(x, y)` where a place of the world stands on the screen, for each copy in sight. */
  #onScreen(view, x, y, margin, draw) {
    const top = (y - view.y) * view.scale + view.size[1] / 2;
    if (top < -margin || top > view.size[1] + margin) return;
    // A place may already be of a neighbouring copy.
    const home = x - Math.floor(x);
    for (const copy of view.copies) {
      const left = (home + copy - view.x) * view.scale + view.size[0] / 2;
      if (left >= -margin && left <= view.size[0] + margin) draw(left, top);
    }
  }

  #draw() {
    if (!this.#map._loaded) return;
    const began = performance.now();
    const view = this.#view();
    const [painter, colours, { drawn }] = [this.#painter, this.#colours, this.probe];
    const dim = this.#dimNow();
    painter.begin(view);
    drawn.copies = view.copies.length;
    drawn.hexagons = this.#drawHexagons(view, dim);
    drawn.lights = this.lights.count;
    // Large enough to see one, small enough to tell a hundred thousand apart.
    const breath = this.isStill ? 1 : 1 + 0.08 * Math.sin(view.seconds * 1.7);
    const zoom = Math.log2(view.scale / 256);
    // The closer, the larger and the fuller; from afar many add up.
    const closeness = Math.max(0, Math.min(1, (zoom - 10) / 7));
    const look = {
      seconds: view.seconds, low: colours.light, high: colours["tier-2"],
      grow: this.picksLights ? 0.7 + 1.1 * closeness : 1,
      softness: this.picksLights ? 0.25 : 1, adds: colours.isDark, isDark: colours.isDark,
      strength: (this.picksLights ? 0.4 + 0.55 * closeness : colours.isDark ? 0.62 : 0.4)
        * breath * dim,
    };
    if (this.picksLights && this.#splats) {
      this.#splats.draw(this.lights, view, look);
    } else {
      this.#splats?.clear();
      painter.swarm(this.lights, view, look);
    }
    drawn.trails = this.#drawTrails(view);
    this.#drawFlock(view, dim);
    this.probe.frames += 1;
    this.#note(this.probe.drawTimes, performance.now() - began);
  }

  #drawHexagons(view, dim) {
    if (this.#hexagons.length === 0) return 0;
    let count = 0;
    const steps = [0, 1, 2, 3, 4, 5].map((step) => this.#colours[`heat-${step}`]);
    const age = this.isStill ? 1 : Math.min(1, (view.seconds - this.#hexagonsBegan) / 0.4);
    for (const { x, y, radius, weight, zoom } of this.#hexagons) {
      const level = Math.min(4.999, weight * 5);
      const colour = blend(steps[Math.floor(level)], steps[Math.floor(level) + 1], level % 1);
      const pixels = (radius * view.scale) / (256 * 2 ** zoom);
      this.#onScreen(view, x, y, pixels, (left, top) => {
        count = this.#push(
          count, left, top, pixels - 0.5, shapes.hexagon, colour, (0.45 + 0.5 * weight) * age * dim);
      });
    }
    this.#painter.sprites(
      this.#sprites, count, { size: view.size, colours: this.#colours, adds: false });
    return count;
  }

  #drawTrails(view) {
    let count = 0;
    this.sparks.eachTrail(view.seconds, (fromX, fromY, x, y, alpha) => {
      this.#onScreen(view, x, y, 200, (left, top) => {
        if ((count + 2) * 3 > this.#lines.length) return;
        const dx = x - fromX;
        this.#lines.set([
          left - (dx - Math.round(dx)) * view.scale, top - (y - fromY) * view.scale, 0,
          left, top, alpha,
        ], count * 3);
        count += 2;
      });
    });
    this.#painter.lines(this.#lines, count, { size: view.size, ink: this.#colours.trail });
    return count / 2;
  }

  #drawFlock(view, dim) {
    const [painter, colours, { drawn }] = [this.#painter, this.#colours, this.probe];
    const painting = { size: view.size, colours };
    const seen = [];
    const numbers = [];
    let count = 0;
    const isMoving = this.#zooming !== undefined || view.seconds < this.#until;
    this.flock.each(view.seconds, (item, { x, y, radius, alpha }) => {
      if (!this.showsFlock) return;
      this.#onScreen(view, x, y, radius * 2 + 20, (left, top) => {
        seen.push({ item, left, top, radius, alpha });
      });
    });
    for (const { item, left, top, radius, alpha } of seen) {
      const breath = this.isStill ? 1 : 1 + 0.16 * Math.sin(view.seconds * 1.3 + item.phase);
      const [reach, strength] = item.kind === "single" ? [3, 0.35] : [1.95, 0.5];
      const lit = item.key === this.highlighted ? 1.6 : 1;
      count = this.#push(count, left, top, radius * reach * breath, shapes.light,
        this.#ink(item), strength * (colours.isDark ? 1 : 0.45) * alpha * dim * lit);
    }
    painter.sprites(this.#sprites, count, { ...painting, adds: colours.isDark });
    count = 0;
    this.sparks.eachPulse(view.seconds, (pulse, radius, alpha) => {
      if (!this.showsFlock && pulse.kind !== "pulse") return;
      this.#onScreen(view, pulse.x, pulse.y, radius, (left, top) => {
        count = this.#push(count, left, top, radius, shapes.ring,
          colours[pulse.kind] ?? colours.pulse, alpha);
      });
    });
    drawn.pulses = count;
    for (const { item, left, top, radius, alpha } of seen) {
      const shape = item.kind === "single" ? shapes.dot
        : item.kind === "stack" ? shapes.stack : shapes.disc;
      const isLit = item.key === this.highlighted;
      count = this.#push(
        count, left, top, radius + (isLit ? 2 : 0), shape, this.#ink(item), alpha * dim);
      if (item.text) {
        numbers.push({
          text: item.text, row: item.row, x: left, y: top, alpha: alpha * Math.min(1, dim * 1.2),
          isStill: !isMoving,
        });
      }
    }
    drawn.clusters = seen.length;
    painter.sprites(this.#sprites, count, { ...painting, adds: false });
    // All numbers over all circles.
    painter.numbers(numbers, this.#glyphs, { size: view.size, ink: colours.number });
    drawn.numbers = numbers.length;
  }

  #ink({ kind }) {
    return this.#colours[kind];
  }

  /** Where circles are drawn, in pixels, once they have come to rest. */
  get circles() {
    return this.showsFlock ? this.standing : [];
  }

  /** Where circles stand on the screen when they have come to rest. */
  get standing() {
    const view = this.#view();
    const found = [];
    for (const { cluster, x, y, radius, text, row } of this.flock.items) {
      this.#onScreen(view, x, y, radius, (left, top) => found.push({
        id: cluster.id, count: cluster.pointCount, x: left, y: top, radius,
        width: text ? this.#glyphs.width(text, row) : 0,
      }));
    }
    return found;
  }
}
