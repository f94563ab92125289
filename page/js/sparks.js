// What is seen for a moment: rings where something changed, and short trails behind what moves.

const pulseSeconds = 1.1;
const trailSeconds = 6;
const mostPulses = 60;
const mostTrails = 4000;

export class Sparks {
  pulses = [];
  trails = [];
  /** When the last of them is over. */
  until = 0;

  pulse(x, y, radius, kind, seconds) {
    if (this.pulses.length >= mostPulses) this.pulses.shift();
    this.pulses.push({ x, y, radius, kind, began: seconds });
    this.until = Math.max(this.until, seconds + pulseSeconds);
  }

  trail(fromX, fromY, x, y, seconds, duration) {
    if (this.trails.length >= mostTrails) this.trails.shift();
    this.trails.push({ fromX, fromY, x, y, began: seconds, duration: duration || 0.01 });
    this.until = Math.max(this.until, seconds + trailSeconds);
  }

  clear() {
    this.pulses = [];
    this.trails = [];
  }

  /** `draw(pulse, radius, alpha)` of each that is not over. */
  eachPulse(seconds, draw) {
    this.pulses = this.pulses.filter(({ began }) => seconds < began + pulseSeconds);
    for (const pulse of this.pulses) {
      const t = Math.max(0, (seconds - pulse.began) / pulseSeconds);
      draw(pulse, pulse.radius + 4 + 20 * (1 - (1 - t) ** 2), 0.75 * (1 - t));
    }
  }

  /** `draw(fromX, fromY, x, y, alpha)`: as far as the object has come by now. */
  eachTrail(seconds, draw) {
    this.trails = this.trails.filter(({ began }) => seconds < began + trailSeconds);
    for (const { fromX, fromY, x, y, began, duration } of this.trails) {
      const t = 1 - (1 - Math.min(1, (seconds - began) / duration)) ** 3;
      const alpha = 0.8 * (1 - (seconds - began) / trailSeconds);
      draw(fromX, fromY, fromX + (x - fromX) * t, fromY + (y - fromY) * t, alpha);
    }
  }
}
