// Draws the same frames on a plain 2D canvas, where the browser has no WebGL.

import { Glyphs } from "./glyphs.js";
import { fieldsOfSprite, shapes } from "./glpainter.js";
import { fieldsOfPoint } from "./swarm.js";

const css = ([red, green, blue], alpha = 1) =>
  `rgb(${Math.round(red * 255)} ${Math.round(green * 255)} ${Math.round(blue * 255)} / ${alpha})`;

const blend = (a, b, t) => a.map((v, i) => v + (b[i] - v) * t);

export class FlatPainter {
  name = "2d";
  isSoftware = true;
  #context;
  #canvas;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
  }

  restore() {}
  takeGlyphs() {}

  resize(width, height, density) {
    this.#canvas.width = Math.round(width * density);
    this.#canvas.height = Math.round(height * density);
    this.#context.setTransform(density, 0, 0, density, 0, 0);
  }

  begin({ size: [width, height] }) {
    this.#context.clearRect(0, 0, width, height);
  }

  sprites(values, count, { colours, adds }) {
    const context = this.#context;
    context.globalCompositeOperation = adds ? "lighter" : "source-over";
    for (let i = 0; i < count * fieldsOfSprite; i += fieldsOfSprite) {
      const [x, y, radius, shape] = values.subarray(i, i + 4);
      const colour = [...values.subarray(i + 4, i + 7)];
      context.globalAlpha = Math.max(0, Math.min(1, values[i + 7]));
      this.#sprite(shape, x, y, Math.max(0, radius), colour, colours);
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = "source-over";
  }

  #sprite(shape, x, y, radius, colour, colours) {
    const context = this.#context;
    context.beginPath();
    if (shape === shapes.light) {
      const light = context.createRadialGradient(x, y, 0, x, y, radius + 0.01);
      light.addColorStop(0, css(colour));
      light.addColorStop(0.5, css(colour, 0.25));
      light.addColorStop(1, css(colour, 0));
      context.fillStyle = light;
      context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    } else if (shape === shapes.ring) {
      context.arc(x, y, radius, 0, 7);
      context.strokeStyle = css(colour);
      context.lineWidth = 1.6;
      context.stroke();
    } else if (shape === shapes.hexagon) {
      for (let k = 0; k < 6; k++) {
        context.lineTo(
          x + radius * Math.cos((k * Math.PI) / 3), y + radius * Math.sin((k * Math.PI) / 3));
      }
      context.fillStyle = css(colour, 0.75);
      context.fill();
    } else if (shape === shapes.stack) {
      context.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, Math.min(5, radius));
      context.fillStyle = css(colours.isDark ? blend(colours.core, colour, 0.25) : colour);
      context.fill();
      context.strokeStyle = css(colour);
      context.lineWidth = 2;
      context.stroke();
    } else {
      context.arc(x, y, radius, 0, 7);
      const isGlass = shape === shapes.disc && colours.isDark;
      context.fillStyle = css(isGlass ? blend(colours.core, colour, 0.25) : colour);
      context.fill();
      if (shape === shapes.disc) {
        context.strokeStyle = css(colours.isDark ? colour : [1, 1, 1]);
        context.lineWidth = 2;
        context.stroke();
      }
    }
  }

  swarm(swarm, view, { seconds, low, high, strength, grow, adds }) {
    const context = this.#context;
    context.globalCompositeOperation = adds ? "lighter" : "source-over";
    const colours = Array.from({ length: 8 }, (_, i) => css(blend(low, high, i / 7)));
    const { values } = swarm;
    for (const copy of view.copies) {
      for (let index = 0; index < swarm.count; index++) {
        const [wx, wy] = swarm.place(index, seconds);
        const x = (wx + copy - view.x) * view.scale + view.size[0] / 2;
        const y = (wy - view.y) * view.scale + view.size[1] / 2;
        const radius = values[index * fieldsOfPoint + 5] * grow * 0.6;
        if (x < -radius || y < -radius || x > view.size[0] + radius || y > view.size[1] + radius) {
          continue;
        }
        context.globalAlpha = strength;
        context.fillStyle = colours[Math.round(values[index * fieldsOfPoint + 6] * 7)];
        context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      }
    }
    context.globalAlpha = 1;
    context.globalCompositeOperation = "source-over";
  }

  lines(values, count, { ink }) {
    const context = this.#context;
    context.lineWidth = 1;
    for (let i = 0; i + 5 < count * 3; i += 6) {
      const line = context.createLinearGradient(values[i], values[i + 1], values[i + 3], values[i + 4]);
      line.addColorStop(0, css(ink, values[i + 2]));
      line.addColorStop(1, css(ink, values[i + 5]));
      context.strokeStyle = line;
      context.beginPath();
      context.moveTo(values[i], values[i + 1]);
      context.lineTo(values[i + 3], values[i + 4]);
      context.stroke();
    }
  }

  numbers(numbers, glyphs, { ink }) {
    const context = this.#context;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = css(ink);
    for (const { text, row, x, y, alpha } of numbers) {
      context.globalAlpha = alpha;
      context.font = Glyphs.font(row);
      context.fillText(text, x, y + 0.5);
    }
    context.globalAlpha = 1;
  }
}
