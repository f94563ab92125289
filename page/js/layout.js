// Where circles stand on the screen: none covers another's number. Circles that overlap first give
// up room down to what their number needs, then move apart as little as they must.

const gap = 2;
const rounds = 14;
/** A circle stands no further than this from its place, whatever it costs. */
const maximumShiftPixels = 34;

/** Radius in pixels, growing with the logarithm of the count. */
export function radiusOf({ pointCount, coincident }) {
  if (pointCount === 1) return 5;
  return Math.min(33, (coincident ? 13 : 12.5) + 3.75 * Math.log10(pointCount));
}

/** Pairs of circles that may touch, by a grid as wide as the largest circle. */
function neighbours(circles) {
  const side = 70;
  const cells = new Map();
  circles.forEach((circle, index) => {
    const key = `${Math.floor(circle.x / side)} ${Math.floor(circle.y / side)}`;
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(index);
  });
  const pairs = [];
  circles.forEach((circle, index) => {
    const [column, row] = [Math.floor(circle.x / side), Math.floor(circle.y / side)];
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (const other of cells.get(`${column + dx} ${row + dy}`) ?? []) {
          if (other > index) pairs.push([circles[index], circles[other]]);
        }
      }
    }
  });
  return pairs;
}

/**
 * Sets `x`, `y` and `radius` of circles `{x, y, radius, least, mass}` so that no two overlap where
 * that can be had. A dot (`mass` 0) makes way alone.
 */
export function separate(circles) {
  const homes = circles.map(({ x, y }) => [x, y]);
  // Dots lie over one another as they will: a city's people are many.
  const pairs = neighbours(circles).filter(([a, b]) => a.mass > 0 || b.mass > 0);
  for (const [a, b] of pairs) {
    const room = Math.hypot(b.x - a.x, b.y - a.y) - gap;
    const excess = a.radius + b.radius - room;
    if (excess <= 0) continue;
    const [spareA, spareB] = [a.radius - a.least, b.radius - b.least];
    const spare = spareA + spareB;
    if (spare <= 0) continue;
    const given = Math.min(excess, spare) / spare;
    a.radius -= spareA * given;
    b.radius -= spareB * given;
  }
  for (let round = 0; round < rounds; round++) {
    let isStill = true;
    for (const [a, b] of pairs) {
      let [dx, dy] = [b.x - a.x, b.y - a.y];
      let length = Math.hypot(dx, dy);
      const excess = a.radius + b.radius + gap - length;
      if (excess <= 0.01) continue;
      isStill = false;
      if (length < 0.01) [dx, dy, length] = [1, 0, 1];
      const share = a.mass + b.mass === 0 ? 0.5 : b.mass / (a.mass + b.mass);
      a.x -= (dx / length) * excess * share;
      a.y -= (dy / length) * excess * share;
      b.x += (dx / length) * excess * (1 - share);
      b.y += (dy / length) * excess * (1 - share);
    }
    if (isStill) break;
  }
  circles.forEach((circle, index) => {
    const [x, y] = homes[index];
    const shift = Math.hypot(circle.x - x, circle.y - y);
    if (shift <= maximumShiftPixels) return;
    circle.x = x + ((circle.x - x) * maximumShiftPixels) / shift;
    circle.y = y + ((circle.y - y) * maximumShiftPixels) / shift;
  });
}
