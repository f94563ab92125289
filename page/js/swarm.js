// A hundred thousand points, each on its way from where it was to where it is. What a frame needs is
// kept in flat arrays; the graphics card eases them.

const initial = 1024;
/** From x, y; to x, y; began; radius; weight of the colour, 0...1. */
export const fieldsOfPoint = 7;

export class Swarm {
  #index = new Map();
  #ids = [];
  #values = new Float64Array(initial * fieldsOfPoint);
  count = 0;
  /** Grows with every change, so that painters know what they have. */
  version = 0;
  durationSeconds = 1;

  #room() {
    if ((this.count + 1) * fieldsOfPoint <= this.#values.length) return;
    const larger = new Float64Array(this.#values.length * 2);
    larger.set(this.#values);
    this.#values = larger;
  }

  get values() {
    return this.#values;
  }

  has(id) {
    return this.#index.has(id);
  }

  id(index) {
    return this.#ids[index];
  }

  /** Puts a point to a place; a known one eases to it. */
  put(id, x, y, radius, weight, seconds, isStill) {
    let index = this.#index.get(id);
    const isNew = index === undefined;
    if (isNew) {
      this.#room();
      index = this.count++;
      this.#index.set(id, index);
      this.#ids[index] = id;
    }
    const [at, v] = [index * fieldsOfPoint, this.#values];
    if (isNew || isStill) {
      v[at] = x;
      v[at + 1] = y;
    } else {
      const [nowX, nowY] = this.place(index, seconds);
      v[at] = nowX + Math.round(x - nowX);
      v[at + 1] = nowY;
    }
    v[at + 2] = x;
    v[at + 3] = y;
    v[at + 4] = seconds;
    v[at + 5] = radius;
    v[at + 6] = weight;
    this.version += 1;
  }

  /** The last one takes the place of the one that goes. */
  remove(id) {
    const index = this.#index.get(id);
    if (index === undefined) return;
    const last = --this.count;
    this.#index.delete(id);
    if (index !== last) {
      const moved = this.#ids[last];
      this.#values.copyWithin(
        index * fieldsOfPoint, last * fieldsOfPoint, (last + 1) * fieldsOfPoint);
      this.#ids[index] = moved;
      this.#index.set(moved, index);
    }
    this.#ids.length = last;
    this.version += 1;
  }

  clear() {
    if (this.count === 0) return;
    this.#index.clear();
    this.#ids = [];
    this.count = 0;
    this.version += 1;
  }

  /** Removes all whose ids `keeps` refuses. */
  retain(keeps) {
    for (const id of [...this.#ids]) if (!keeps(id)) this.remove(id);
  }

  /** Where a point is at a moment. */
  place(index, seconds) {
    const [at, v] = [index * fieldsOfPoint, this.#values];
    const t = Math.min(1, Math.max(0, (seconds - v[at + 4]) / this.durationSeconds));
    return [v[at] + (v[at + 2] - v[at]) * t, v[at + 1] + (v[at + 3] - v[at + 1]) * t];
  }

  /** The point nearest to a place within a reach, all in units of the world's width. */
  nearest(x, y, reach, seconds) {
    let [best, least] = [undefined, reach];
    for (let index = 0; index < this.count; index++) {
      const [px, py] = this.place(index, seconds);
      const dx = px - x;
      const distance = Math.hypot(dx - Math.round(dx), py - y);
      if (distance < least) [best, least] = [index, distance];
    }
    return best;
  }
}
