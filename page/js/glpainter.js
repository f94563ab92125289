// Draws a frame with WebGL: three small programs, for sprites (circles, rings, lights, hexagons), for
// the swarm's points, which the graphics card eases by itself, and for the signs of numbers.

import { Glyphs } from "./glyphs.js";
import { fieldsOfPoint } from "./swarm.js";

/** What a sprite is, as the shader has it. */
export const shapes = { disc: 0, dot: 1, stack: 2, hexagon: 3, ring: 4, light: 5 };
/** x, y, radius, shape, red, green, blue, alpha. */
export const fieldsOfSprite = 8;

const spriteVertex = `
attribute vec4 place;  // x, y, radius, shape
attribute vec4 colour;
uniform vec2 size;
uniform float density;
varying vec4 tint;
varying float shape;
varying float radius;
varying float reach;
void main() {
  tint = colour;
  shape = place.w;
  radius = place.z;
  reach = radius + 3.0;
  gl_PointSize = 2.0 * reach * density;
  gl_Position = vec4(place.x / size.x * 2.0 - 1.0, 1.0 - place.y / size.y * 2.0, 0.0, 1.0);
}`;

const spriteFragment = `
precision highp float;
varying vec4 tint;
varying float shape;
varying float radius;
varying float reach;
uniform vec3 core;
uniform float isDark;
float edge(float distance) { return clamp(0.5 - distance, 0.0, 1.0); }
void main() {
  vec2 p = (gl_PointCoord * 2.0 - 1.0) * reach;
  float d = length(p);
  vec3 rgb = tint.rgb;
  float a = 0.0;
  if (shape > 4.5) {
    float fall = clamp(1.0 - d / radius, 0.0, 1.0);
    a = fall * fall;
  } else if (shape > 3.5) {
    a = edge(abs(d - radius) - 0.8);
  } else if (shape > 2.5) {
    vec2 q = abs(p);
    float hex = max(q.x * 0.866025 + q.y * 0.5, q.y);
    a = edge(hex - radius * 0.866025) * mix(0.72, 1.0, edge(abs(hex - radius * 0.866025 + 1.0) - 0.6));
  } else if (shape > 1.5) {
    vec2 q = abs(p) - vec2(radius - 5.0);
    float box = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - 5.0;
    a = edge(box);
    rgb = mix(tint.rgb, mix(core, tint.rgb, 0.25), edge(box + 2.2) * isDark);
  } else if (shape > 0.5) {
    a = edge(d - radius);
    rgb = mix(core, tint.rgb, edge(d - radius + 1.4));
  } else {
    a = edge(d - radius);
    // By night a dark glass with a lit rim; by day a full colour with a pale one.
    float inner = edge(d - radius + 2.0);
    float lit = smoothstep(0.35, 1.0, d / radius);
    vec3 night = mix(tint.rgb, mix(core, tint.rgb, 0.10 + 0.26 * lit), inner);
    vec3 day = mix(vec3(1.0), tint.rgb, edge(d - radius + 1.5));
    rgb = mix(day, night, isDark);
  }
  gl_FragColor = vec4(rgb, a * tint.a);
}`;

const pointVertex = `
attribute vec4 way;    // from x, y; to x, y: from the anchor, in units of the world's width
attribute vec3 look;   // began; radius; weight
uniform vec2 size;
uniform vec2 offset;
uniform float scale;
uniform float density;
uniform float seconds;
uniform float duration;
uniform float grow;
varying float weight;
void main() {
  float t = clamp((seconds - look.x) / duration, 0.0, 1.0);
  vec2 at = mix(way.xy, way.zw, t) * scale + offset;
  weight = look.z;
  gl_PointSize = 2.0 * look.y * grow * density;
  gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
}`;

const pointFragment = `
precision mediump float;
varying float weight;
uniform vec3 low;
uniform vec3 high;
uniform float strength;
uniform float softness;
void main() {
  float d = length(gl_PointCoord * 2.0 - 1.0);
  float a = mix(clamp((1.0 - d) * 3.0, 0.0, 1.0), (1.0 - d) * (1.0 - d) * step(d, 1.0), softness);
  gl_FragColor = vec4(mix(low, high, weight), a * strength);
}`;

const glyphVertex = `
attribute vec4 place;  // x, y, column, row
attribute float alpha;
uniform vec2 size;
uniform float cell;
uniform float density;
varying vec2 corner;
varying float opacity;
void main() {
  corner = place.zw;
  opacity = alpha;
  gl_PointSize = cell * density;
  gl_Position = vec4(place.x / size.x * 2.0 - 1.0, 1.0 - place.y / size.y * 2.0, 0.0, 1.0);
}`;

const glyphFragment = `
precision highp float;
varying vec2 corner;
varying float opacity;
uniform sampler2D atlas;
uniform vec2 cells;
uniform vec3 ink;
void main() {
  float a = texture2D(atlas, (corner + gl_PointCoord) / cells).a;
  gl_FragColor = vec4(ink, a * opacity);
}`;

const lineVertex = `
attribute vec3 place;  // x, y, alpha
uniform vec2 size;
varying float opacity;
void main() {
  opacity = place.z;
  gl_Position = vec4(place.x / size.x * 2.0 - 1.0, 1.0 - place.y / size.y * 2.0, 0.0, 1.0);
}`;

const lineFragment = `
precision mediump float;
varying float opacity;
uniform vec3 ink;
void main() { gl_FragColor = vec4(ink, opacity); }`;

class Program {
  constructor(gl, vertex, fragment, attributes) {
    this.gl = gl;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
        throw new Error(`a shader does not compile: ${gl.getShaderInfoLog(shader)}`);
      }
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(`a program does not link: ${gl.getProgramInfoLog(program)}`);
    }
    this.program = program;
    this.buffer = gl.createBuffer();
    this.attributes = attributes;
    this.stride = attributes.reduce((sum, [, fields]) => sum + fields, 0);
    this.locations = attributes.map(([name]) => gl.getAttribLocation(program, name));
    this.uniforms = new Map();
  }

  use(uniforms) {
    const { gl } = this;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(uniforms)) {
      if (!this.uniforms.has(name)) {
        this.uniforms.set(name, gl.getUniformLocation(this.program, name));
      }
      const location = this.uniforms.get(name);
      if (typeof value === "number") gl.uniform1f(location, value);
      else if (value.length === 2) gl.uniform2f(location, ...value);
      else gl.uniform3f(location, ...value);
    }
  }

  bind(values, usage) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    if (values) gl.bufferData(gl.ARRAY_BUFFER, values, usage);
    let offset = 0;
    this.attributes.forEach(([, fields], i) => {
      gl.enableVertexAttribArray(this.locations[i]);
      gl.vertexAttribPointer(
        this.locations[i], fields, gl.FLOAT, false, this.stride * 4, offset * 4);
      offset += fields;
    });
  }
}

/** Further than this from the anchor, in pixels, single precision is no longer exact enough. */
const farPixels = 400_000;

export class GLPainter {
  name = "webgl";
  #gl;
  #canvas;
  #density = 1;
  #programs;
  #atlas;
  #swarms = new Map();

  /** @returns `undefined` where the browser has no WebGL. */
  static make(canvas) {
    const gl = canvas.getContext("webgl", {
      alpha: true, antialias: false, premultipliedAlpha: true, depth: false,
      powerPreference: "low-power",
    });
    return gl ? new GLPainter(canvas, gl) : undefined;
  }

  /** Whether there is no graphics card behind it. */
  isSoftware;

  constructor(canvas, gl) {
    this.#canvas = canvas;
    this.#gl = gl;
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    const renderer = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
    this.isSoftware = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
    this.restore();
  }

  /** Anew after the graphics card was lost. */
  restore() {
    const gl = this.#gl;
    this.#programs = {
      sprites: new Program(gl, spriteVertex, spriteFragment, [["place", 4], ["colour", 4]]),
      points: new Program(gl, pointVertex, pointFragment, [["way", 4], ["look", 3]]),
      glyphs: new Program(gl, glyphVertex, glyphFragment, [["place", 4], ["alpha", 1]]),
      lines: new Program(gl, lineVertex, lineFragment, [["place", 3]]),
    };
    this.#swarms.clear();
    this.#atlas = undefined;
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
  }

  resize(width, height, density) {
    this.#density = density;
    this.#canvas.width = Math.round(width * density);
    this.#canvas.height = Math.round(height * density);
    this.#gl.viewport(0, 0, this.#canvas.width, this.#canvas.height);
  }

  takeGlyphs(glyphs) {
    const gl = this.#gl;
    this.#atlas = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.#atlas);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, glyphs.canvas);
    for (const axis of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
      gl.texParameteri(gl.TEXTURE_2D, axis, gl.CLAMP_TO_EDGE);
    }
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  }

  begin() {
    const gl = this.#gl;
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
  }

  #blend(adds) {
    const gl = this.#gl;
    // The canvas is premultiplied: light that is added leaves what lies below as it is.
    if (adds) gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE, gl.ZERO, gl.ONE);
    else gl.blendFuncSeparate(
      gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** `values` as of `fieldsOfSprite`; lights are added to what is there. */
  sprites(values, count, { size, colours, adds }) {
    if (count === 0) return;
    const gl = this.#gl;
    this.#blend(adds);
    const { sprites } = this.#programs;
    sprites.use({
      size, density: this.#density, core: colours.core, isDark: colours.isDark ? 1 : 0,
    });
    sprites.bind(values.subarray(0, count * fieldsOfSprite), gl.DYNAMIC_DRAW);
    gl.drawArrays(gl.POINTS, 0, count);
  }

  /** @param view `{size, offsets: [[x, y]], scale, anchor}`; an offset for each copy of the world. */
  swarm(swarm, view, { seconds, low, high, strength, grow, softness, adds }) {
    if (swarm.count === 0) return;
    const gl = this.#gl;
    const { points } = this.#programs;
    const kept = this.#upload(swarm, view);
    this.#blend(adds);
    points.buffer = kept.buffer;
    points.bind();
    for (const copy of view.copies) {
      points.use({
        size: view.size, density: this.#density, scale: view.scale, seconds: seconds - kept.epoch,
        duration: swarm.durationSeconds, low, high, strength, grow, softness,
        offset: [
          (kept.x + copy - view.x) * view.scale + view.size[0] / 2,
          (kept.y - view.y) * view.scale + view.size[1] / 2,
        ],
      });
      gl.drawArrays(gl.POINTS, 0, swarm.count);
    }
  }

  #upload(swarm, view) {
    const gl = this.#gl;
    let kept = this.#swarms.get(swarm);
    const isFar = kept
      && Math.max(Math.abs(kept.x - view.x), Math.abs(kept.y - view.y)) * view.scale > farPixels
      && kept.madeAt !== view.scale * view.x;
    if (kept && kept.version === swarm.version && !isFar) return kept;
    if (!kept) {
      kept = { buffer: gl.createBuffer(), values: new Float32Array(0) };
      this.#swarms.set(swarm, kept);
    }
    const needed = swarm.count * fieldsOfPoint;
    if (kept.values.length < needed) kept.values = new Float32Array(Math.ceil(needed * 1.3));
    if (kept.x === undefined || isFar) [kept.x, kept.y] = [view.x, view.y];
    kept.madeAt = view.scale * view.x;
    // Times, too, stay small enough for single precision.
    kept.epoch = view.seconds - 60;
    const [from, to] = [swarm.values, kept.values];
    for (let i = 0; i < needed; i += fieldsOfPoint) {
      to[i] = from[i] - kept.x;
      to[i + 1] = from[i + 1] - kept.y;
      to[i + 2] = from[i + 2] - kept.x;
      to[i + 3] = from[i + 3] - kept.y;
      to[i + 4] = from[i + 4] - kept.epoch;
      to[i + 5] = from[i + 5];
      to[i + 6] = from[i + 6];
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, kept.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, to.subarray(0, needed), gl.DYNAMIC_DRAW);
    kept.version = swarm.version;
    return kept;
  }

  /** Pairs of `x, y, alpha`. */
  lines(values, count, { size, ink }) {
    if (count === 0) return;
    const gl = this.#gl;
    this.#blend(false);
    const { lines } = this.#programs;
    lines.use({ size, ink });
    lines.bind(values.subarray(0, count * 3), gl.DYNAMIC_DRAW);
    gl.drawArrays(gl.LINES, 0, count);
  }

  /** `numbers` of `{text, row, x, y, alpha}`. */
  numbers(numbers, glyphs, { size, ink }) {
    const gl = this.#gl;
    const values = [];
    for (const { text, row, x, y, alpha, isStill } of numbers) {
      glyphs.each(text, row, (column, offset) => {
        // At rest a sign stands on whole pixels, as sharp as it was drawn.
        const snap = (v) => (isStill ? Math.round(v * this.#density) / this.#density : v);
        values.push(snap(x + offset), snap(y), column, row, alpha);
      });
    }
    if (values.length === 0) return;
    this.#blend(false);
    gl.bindTexture(gl.TEXTURE_2D, this.#atlas);
    const program = this.#programs.glyphs;
    program.use({ size, cell: glyphs.cell, density: this.#density, cells: Glyphs.size, ink });
    program.bind(new Float32Array(values), gl.DYNAMIC_DRAW);
    gl.drawArrays(gl.POINTS, 0, values.length / 5);
  }
}
