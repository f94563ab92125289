// What happens to all rides, so that those on the map stay current: the feed of events for services,
// asking now and then for a person, to whom it is closed.

import { api } from "./api.js";
import { identity } from "./token.js";

/** Kinds of events of one ride. */
export const partyEvents = [
  "created", "joined", "left", "removed", "host_changed", "updated", "shares_changed", "departing",
  "departed", "cancelled", "ended", "settled", "join_requested", "request_approved",
  "request_declined", "request_withdrawn", "request_expired",
];
const kinds = ["created", "joined", "left", "removed", "updated", "departed", "cancelled"];
const pollMilliseconds = 5000;

export class PartyFeed {
  #onChange;
  #onError;
  #isOn = false;
  #stream;
  #poll;

  /** @param onChange takes an event, or `{}` where nobody tells of what has changed. */
  constructor({ onChange, onError }) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  async begin() {
    this.end();
    this.#isOn = true;
    if (identity.isPerson) {
      this.#poll = setInterval(() => this.#onChange({}), pollMilliseconds);
      return;
    }
    try {
      // From now on: what has happened already is in what is shown.
      let { next, events } = await api.events({ after: 0, limit: 1000 });
      while (events.length > 0) ({ next, events } = await api.events({ after: next, limit: 1000 }));
      if (!this.#isOn || this.#stream) return;
      this.#stream = api.watchEvents({ resumeToken: next });
      for (const kind of kinds) {
        this.#stream.addEventListener(
          `party.${kind}`, (event) => this.#isOn && this.#onChange(JSON.parse(event.data)));
      }
    } catch (error) {
      this.#onError(error);
    }
  }

  end() {
    this.#isOn = false;
    clearInterval(this.#poll);
    this.#stream?.close();
    this.#stream = undefined;
  }
}
