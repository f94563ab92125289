// A person: parties, ticket, bans and penalties, what happened, and what an operator may do to them.

import { api } from "./api.js";
import { confirm } from "./confirm.js";
import { fillList, foreign, make, moment, printable, table } from "./text.js";

const byID = (id) => document.getElementById(id);
const ended = ["cancelled", "ended", "settled"];

const place = (one) => one?.name
  || (one ? `${one.latitude?.toFixed(4)}, ${one.longitude?.toFixed(4)}` : "");

export class Person {
  #id;
  #seen;
  #events = [];
  #next;
  #tenant;
  /** Another question makes answers to those before it old. */
  #questions = 0;

  /** @param tenant answers whose people are looked at; empty: the operator's own. */
  constructor(tenant) {
    this.#tenant = tenant;
    byID("person-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.look(byID("person-id").value);
    });
  }

  clear(message = "") {
    this.#questions += 1;
    this.#id = undefined;
    byID("person").hidden = true;
    byID("person").replaceChildren();
    this.#say(message);
  }

  async look(id) {
    const question = ++this.#questions;
    this.#say("");
    try {
      const seen = await api.person(id, this.#tenant());
      if (question !== this.#questions) return;
      this.#id = id;
      this.#seen = seen;
      this.#events = seen.events;
      this.#next = seen.next;
      this.#draw();
    } catch (error) {
      if (question === this.#questions) this.#fail(error);
    }
  }

  #fail(error) {
    byID("person").hidden = true;
    this.#id = undefined;
    this.#say(error.message, true);
  }

  #say(text, isError = false) {
    const message = byID("person-message");
    message.textContent = printable(text);
    message.classList.toggle("error", isError);
  }

  async #later() {
    const question = this.#questions;
    try {
      const seen = await api.person(this.#id, this.#tenant(), this.#next);
      if (question !== this.#questions) return;
      this.#say(seen.events.length === 0
        ? "Nothing has happened since." : `${seen.events.length} events were added.`);
      this.#events = [...this.#events, ...seen.events];
      this.#next = seen.next;
      this.#draw();
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  // MARK: what is shown

  #draw() {
    const { conduct, ticket } = this.#seen;
    const title = make("h3", { id: "person-name" }, foreign(this.#seen.id));
    const list = make("dl", { id: "person-conduct" });
    fillList(list, [
      ["Banned until", conduct?.bannedUntil && moment(conduct.bannedUntil)],
      ["May not wait until", conduct?.penaltyUntil && moment(conduct.penaltyUntil)],
      ["Reports, called off", `${conduct?.reports ?? 0}, ${conduct?.dodges ?? 0}`],
      ["Ticket", ticket ? this.#ticket(ticket) : "none"],
    ]);
    byID("person").replaceChildren(
      title, list, this.#actions(), this.#parties(), this.#history());
    byID("person").hidden = false;
  }

  #ticket(ticket) {
    const words = [ticket.state];
    if (ticket.matchedWith) words.push(`matched with ${printable(ticket.matchedWith)}`);
    if (ticket.tags?.length) words.push(ticket.tags.map(printable).join(", "));
    return make("bdi", {}, words.join("; "));
  }

  #parties() {
    const rows = this.#seen.parties.map((party) => {
      const button = make("button", { type: "button", className: "link" }, "Cancel it");
      button.disabled = ended.includes(party.state);
      button.addEventListener("click", () => this.#cancelParty(party));
      const acts = make("span", {}, button);
      if (party.commuteId) {
        const end = make("button", { type: "button", className: "link end-commute" }, "End its commute");
        end.addEventListener("click", () => this.#closeCommute(party.commuteId));
        acts.append(" ", end);
      }
      return [
        foreign(party.id), party.state, foreign(party.hostId ?? ""),
        make("span", {}, foreign(place(party.origin)), " to ", foreign(place(party.destination))),
        party.departureTime ? moment(party.departureTime) : "",
        String((party.riders ?? []).length), acts,
      ];
    });
    const caption = this.#seen.moreParties ? "The newest parties; there are more" : "Parties";
    return make("div", { className: "scroll", id: "person-parties" }, table(
      caption, ["Party", "State", "Host", "Trip", "Leaves", "Aboard", ""], rows,
      "They are in no party."));
  }

  #history() {
    const rows = this.#events.map((event) => [
      String(event.sequence ?? ""), event.at ? moment(event.at) : "", foreign(event.kind ?? ""),
      foreign(event.partyId ?? ""),
      make("code", {}, printable(JSON.stringify(event.body ?? {}))),
    ]).reverse();
    const more = make("button", { type: "button", id: "person-later" }, "Look for later events");
    more.addEventListener("click", () => this.#later());
    return make("div", {},
      make("div", { className: "scroll", id: "person-events", tabIndex: 0 }, table(
        "What happened, the newest first", ["Sequence", "When", "What", "Party", "Said"], rows,
        "Nothing that is still kept.")), more);
  }

  // MARK: what is done

  #actions() {
    const action = (id, text, act) => {
      const button = make("button", { type: "button", id }, text);
      button.addEventListener("click", act);
      return button;
    };
    const { conduct, ticket } = this.#seen;
    const unban = action("unban", "Unban", () => this.#simple("unban", "Unban",
      "The ban ends, also one that reports brought about."));
    const clear = action("clear-penalty", "Clear the penalty", () => this.#simple(
      "clear-penalty", "Clear the penalty of", "The penalty for calling off ends."));
    const close = action("close-ticket", "Close the ticket", () => this.#closeTicket());
    unban.disabled = !conduct?.bannedUntil;
    clear.disabled = !conduct?.penaltyUntil;
    close.disabled = !ticket || ticket.state === "closed";
    const erase = action("erase", "Erase", () => this.#erase());
    erase.className = "danger";
    const row = make("div", { className: "row actions" },
      action("ban", "Ban", () => this.#ban()), unban, clear, close, erase);
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", "What may be done");
    return row;
  }

  #title(verb) {
    return make("span", {}, `${verb} `, foreign(this.#id));
  }

  /** Asks, does it, and shows the person as they are then. */
  async #do(question, said) {
    const id = this.#id;
    const answer = await confirm(question);
    if (answer === undefined) return;
    await this.look(id);
    if (this.#id === id) this.#say(said);
  }

  #simple(verb, title, sentence) {
    const [id, tenant] = [this.#id, this.#tenant()];
    return this.#do({
      title: this.#title(title), sentence, verb: title.split(" ")[0],
      act: (body, key) => api.toPerson(id, verb, body, tenant, key),
    }, "It is done, and the record says who did it and why.");
  }

  #ban() {
    const [id, tenant] = [this.#id, this.#tenant()];
    return this.#do({
      title: this.#title("Ban"), verb: "Ban", until: true,
      sentence: "They may not wait, offer rides or join them until then. An open ticket closes; "
        + "rides they are aboard stay.",
      act: (body, key) => api.toPerson(id, "ban", body, tenant, key),
    }, "They are banned, and the record says who did it and why.");
  }

  #closeTicket() {
    const [id, tenant] = [this.#id, this.#tenant()];
    return this.#do({
      title: this.#title("Close the ticket of"), verb: "Close",
      sentence: "They no longer wait; a match ends as well.",
      act: (body, key) => api.closeTicket(id, body, tenant, key),
    }, "The ticket is closed.");
  }

  #cancelParty(party) {
    const tenant = this.#tenant();
    return this.#do({
      title: make("span", {}, "Cancel the party ", foreign(party.id)), verb: "Cancel it",
      sentence: "All who are aboard are told that an operator cancelled it.",
      act: (body, key) => api.cancelParty(party.id, body, tenant, key),
    }, "The party is cancelled.");
  }

  #closeCommute(commute) {
    const tenant = this.#tenant();
    return this.#do({
      title: make("span", {}, "End the commute ", foreign(commute)), verb: "End it",
      sentence: "No further day appears. Days that have not departed are called off, and all who ride "
        + "with them are told that an operator did.",
      act: (body, key) => api.closeCommute(commute, { ...body, includeAppeared: true }, tenant, key),
    }, "The commute has ended.");
  }

  async #erase() {
    const [id, tenant] = [this.#id, this.#tenant()];
    const answer = await confirm({
      title: this.#title("Erase"), verb: "Erase for good",
      sentence: "Positions, ticket, requests and blocks go; a pseudonym stands in parties and events "
        + "that are over. End their tokens first. The reason must not name them.",
      warning: " I know that nothing brings this person back.",
      act: (body, key) => api.toPerson(id, "erase", body, tenant, key),
    });
    if (answer === undefined) return;
    byID("person-id").value = "";
    const parts = ["positions", "parties", "tickets", "requests", "events", "replies", "letters"];
    this.clear(answer.erased
      ? `They are erased: ${parts.map((part) => `${answer[part]} ${part}`).join(", ")}.`
      : "There was nothing of them.");
  }
}
