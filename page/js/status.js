// The status line and the notice above it.

import { count, time } from "./format.js";
import { t } from "./language.js";

const part = (name) => document.getElementById(`status-${name}`);

const modes = { stream: "modeStream", poll: "modePoll", paused: "modePaused", error: "modeError" };

export class StatusLine {
  #notice = document.getElementById("notice");

  /** `objectCount` of the layer, `undefined` while unknown. */
  objects(objectCount) {
    part("objects").textContent = objectCount === undefined ? "–" : count(objectCount);
  }

  answer({ clusters, sumOfCounts, truncated, lagMilliseconds, zoom, at }) {
    part("clusters").textContent = count(clusters) + (truncated ? "+" : "");
    part("shown").textContent = count(sumOfCounts) + (truncated ? "+" : "");
    part("lag").textContent = lagMilliseconds === undefined ? "–" : t("milliseconds", { n: count(lagMilliseconds) });
    part("time").textContent = time(at);
    part("zoom").textContent = zoom;
  }

  mode(mode) {
    const light = part("live");
    if (light.dataset.mode === mode) return;
    light.dataset.mode = mode;
    light.setAttribute("aria-label", t(modes[mode]));
    light.title = t(modes[mode]);
    // What is shown is from before: it is dimmed until there is an answer again.
    document.body.classList.toggle("is-stale", mode === "error");
  }

  updates(perSecond) {
    part("updates").textContent = count(Math.round(perSecond));
  }

  /** The share of answers that several callers had; `undefined` where the daemon does not tell. */
  shared(share) {
    part("shared-item").hidden = share === undefined;
    if (share !== undefined) part("shared").textContent = `${Math.round(share * 100)} %`;
  }

  /** Shows a message over the map; `undefined` takes it away. */
  notice(message) {
    if (this.#notice.textContent !== (message ?? "")) this.#notice.textContent = message ?? "";
    this.#notice.hidden = !message;
  }
}
