// A hundred thousand points without a graphics card: each is added into an array of intensities, which
// is then coloured and shown at once. Software that plays a graphics card takes five times as long.

import { fieldsOfPoint } from "./swarm.js";

const levels = 2048;
/** What one point adds to its pixel, and to those beside it where points are small. */
const added = 40;

/**
 * What each intensity looks like, as pixels: from a faint light to a pale one, or to a deep colour.
 * By the logarithm, so that a crowd is told from a larger one.
 */
function ramp(low, high, isDark) {
  const pixels = new Uint32Array(levels);
  const bytes = new Uint8Array(pixels.buffer);
  const bright = isDark ? [1, 0.96, 0.84] : high;
  for (let level = 1; level < levels; level++) {
    const t = Math.log1p(level) / Math.log1p(levels - 1);
    const turn = Math.max(0, (t - 0.45) / 0.55) ** 1.5;
    for (let channel = 0; channel < 3; channel++) {
      bytes[level * 4 + channel] = 255 * (low[channel] + (bright[channel] - low[channel]) * turn);
    }
    bytes[level * 4 + 3] = 255 * Math.min(1, t ** 2 * 2.1);
  }
  return pixels;
}

export class Splats {
  #canvas;
  #context;
  #intensity = new Uint16Array(0);
  #image;
  #isClear = true;
  #ramp;
  #rampKey;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
  }

  resize(width, height) {
    [this.#canvas.width, this.#canvas.height] = [width, height];
    this.#intensity = new Uint16Array(width * height);
    this.#image = new ImageData(width, height);
    this.#isClear = true;
  }

  clear() {
    if (this.#isClear) return;
    this.#context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#isClear = true;
  }

  /** Draws a swarm as `GLPainter.swarm` does. */
  draw(swarm, view, { seconds, low, high, isDark, strength, grow }) {
    const { width, height } = this.#canvas;
    const intensity = this.#intensity.fill(0);
    const { values, count, durationSeconds } = swarm;
    const full = Math.round(added * strength * 2);
    const beside = values[5] * grow > 1.6 ? full : Math.round(full * 0.25);
    for (const copy of view.copies) {
      const offsetX = (copy - view.x) * view.scale + width / 2;
      const offsetY = -view.y * view.scale + height / 2;
      for (let at = 0; at < count * fieldsOfPoint; at += fieldsOfPoint) {
        const t = Math.min(1, Math.max(0, (seconds - values[at + 4]) / durationSeconds));
        const x = ((values[at] + (values[at + 2] - values[at]) * t) * view.scale + offsetX) | 0;
        const y = ((values[at + 1] + (values[at + 3] - values[at + 1]) * t) * view.scale + offsetY) | 0;
        if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) continue;
        const pixel = y * width + x;
        intensity[pixel] += full;
        intensity[pixel - 1] += beside;
        intensity[pixel + 1] += beside;
        intensity[pixel - width] += beside;
        intensity[pixel + width] += beside;
      }
    }
    const key = `${low} ${high} ${isDark}`;
    if (this.#rampKey !== key) [this.#rampKey, this.#ramp] = [key, ramp(low, high, isDark)];
    const pixels = new Uint32Array(this.#image.data.buffer);
    const colours = this.#ramp;
    for (let pixel = 0; pixel < pixels.length; pixel++) {
      pixels[pixel] = colours[Math.min(levels - 1, intensity[pixel])];
    }
    this.#context.putImageData(this.#image, 0, 0);
    this.#isClear = false;
  }
}
