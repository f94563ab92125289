// A sentence over the map where nothing is to be seen: why, and what to do.

import { t } from "./language.js";

const byID = (id) => document.getElementById(id);

export class EmptyNotice {
  /** @param onClear called when somebody takes all filters away. */
  constructor(onClear) {
    byID("empty-clear").addEventListener("click", onClear);
  }

  say(isEmpty, isFiltered) {
    byID("empty").hidden = !isEmpty;
    if (!isEmpty) return;
    byID("empty-text").textContent = t(isFiltered ? "emptyFiltered" : "emptyView");
    byID("empty-clear").hidden = !isFiltered;
  }
}
