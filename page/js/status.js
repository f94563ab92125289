// The status line and the notice above it.

import { count, time } from "./format.js";

const part = (name) => document.getElementById(`status-${name}`);

const modes = {
  stream: "Live: the daemon reports changes", poll: "Asking every 2 seconds", paused: "Paused",
  error: "No answer",
};

export class StatusLine {
  #notice = document.getElementById("notice");

  /** `objectCount` of the layer, `undefined` while unknown. */
  objects(objectCount) {
    part("objects").textContent = objectCount === undefined ? "–" : count(objectCount);
  }

  answer({ clusters, sumOfCounts, truncated, lagMilliseconds, zoom, at }) {
    part("clusters").textContent = count(clusters) + (truncated ? "+" : "");
    part("shown").textContent = count(sumOfCounts) + (truncated ? "+" : "");
    part("lag").textContent = lagMilliseconds === undefined ? "–" : `${count(lagMilliseconds)} ms`;
    part("time").textContent = time(at);
    part("zoom").textContent = zoom;
  }

  mode(mode) {
    const light = part("live");
    if (light.dataset.mode === mode) return;
    light.dataset.mode = mode;
    light.setAttribute("aria-label", modes[mode]);
    light.title = modes[mode];
  }

  /** Shows a message over the map; `undefined` takes it away. */
  notice(message) {
    if (this.#notice.textContent !== (message ?? "")) this.#notice.textContent = message ?? "";
    this.#notice.hidden = !message;
  }
}
