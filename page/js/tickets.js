// Study mates: who waits around here, asked, accepted and met, each by two clicks. People stand at
// the middle of a cell; the daemon tells nobody where in it they are.

import { api } from "./api.js";
import { button, make } from "./elements.js";
import { distance, moment, person } from "./format.js";
import { keptTicket } from "./keptticket.js";
import { hasText, sentenceOf, t } from "./language.js";
import { modes } from "./modes.js";
import { registerPanel } from "./panels.js";
import { PlacePicker } from "./placepicker.js";
import { throttle } from "./throttle.js";
import { TicketMap } from "./ticketmap.js";
import { identity } from "./token.js";

const listed = 30;
/** How far somebody looks for others. */
const radiusMeters = 3000;
const mostStars = 5;

registerPanel({
  id: "tickets", tab: t("modeTickets"), title: t("studyTitle"),
  mount: (section, context) => new TicketPanel(section, context),
});

/** What an event says, in a few words; undefined: nothing worth saying. */
function eventText({ kind, body }) {
  const who = person(body.otherId ?? "");
  const name = kind !== "dodged" ? kind
    : body.dodgedBy === body.otherId ? "dodgedByOther" : "dodgedByYou";
  return hasText(`ticket_${name}`) ? t(`ticket_${name}`, { who }) : undefined;
}

const isAlive = (ticket) => ticket?.state === "open" || ticket?.state === "matched";

class TicketPanel {
  #map;
  #ticket;
  /** Where people were shown when they were last told of, by their ids. */
  #people = new Map();
  #picker;
  #watch;
  #refresh = throttle(() => this.#show(), 800);
  #timer;

  constructor(section, { map }) {
    this.#map = new TicketMap(map);
    this.#build(section);
    this.#picker = new PlacePicker(map);
    modes.onChange((mode) => {
      if (mode === "tickets") return this.#show();
      this.#map.clear();
      if (this.#picker.isPicking) {
        this.#picker.end();
        this.#say("");
      }
    });
    window.moyeo && Object.defineProperty(window.moyeo, "tickets", { value: this });
    this.#restore();
  }

  get ticket() {
    return this.#ticket;
  }

  get user() {
    return this.#who.value.trim();
  }

  // MARK: the panel

  #who = make("input", { id: "tickets-user", value: identity.subject ?? "me", autocomplete: "off" });
  #tags = make("input", { id: "tickets-tags", autocomplete: "off", placeholder: t("anyTag") });
  #message = make("p", { id: "tickets-message" });
  #card = make("div", { id: "ticket-card", hidden: true });
  #asking = make("ol", { id: "tickets-asking", className: "party-list" });
  #around = make("ol", { id: "tickets-around", className: "party-list" });
  #stop = make("button", { type: "button", id: "tickets-stop", hidden: true }, t("stopWaiting"));

  #until = make("p", { className: "hint", id: "tickets-until" });

  #build(section) {
    const label = (text, input) => make("label", { htmlFor: input.id }, text, input);
    const wait = make("button", { type: "button", id: "tickets-wait", className: "primary" },
      t("lookForMate"));
    this.#message.setAttribute("role", "status");
    wait.addEventListener("click", () => this.#pick());
    this.#stop.addEventListener("click", () => this.#act(() => api.closeTicket(this.#ticket.userId)));
    section.append(
      this.#message, this.#card, this.#asking,
      make("p", { className: "hint" }, t("studyHint")),
      make("div", { className: "row" }, label(t("youAre"), this.#who),
        label(t("youStudy"), this.#tags)),
      make("div", { className: "row" }, wait, this.#stop),
      this.#until, this.#around);
  }

  #say(text, isError = false) {
    this.#message.textContent = text;
    this.#message.classList.toggle("error", isError);
  }

  // MARK: waiting

  #pick() {
    modes.show("tickets");
    this.#picker.begin((here) => this.#wait(here), () => this.#say(""));
    this.#say(t("pickYou"));
    this.#picker.ask(t("pickYou"));
  }

  async #wait(here) {
    this.#picker.end();
    this.#say("");
    const tags = this.#tags.value.split(",").map((tag) => tag.trim()).filter(Boolean);
    await this.#act(() => api.openTicket({ userId: this.user, here, tags }));
  }

  /** Goes on with what this tab waited for before it was loaded anew. */
  async #restore() {
    const kept = keptTicket.read();
    if (!kept) return;
    if (identity.subject !== undefined && identity.subject !== kept.userId) return keptTicket.forget();
    try {
      const { ticket } = await api.ticket(kept.userId);
      // Somebody was quicker and began anew.
      if (this.#ticket) return;
      this.#who.value = kept.userId;
      this.#tags.value = ticket.tags.join(", ");
      this.#people = new Map(kept.people.map((one) => [one.userId, one]));
      this.#take(ticket);
      this.#show();
    } catch (error) {
      if (error.reason === "unknown_ticket") keptTicket.forget();
    }
  }

  /** Sends a command and shows the ticket that comes back. */
  async #act(call) {
    try {
      this.#take((await call()).ticket);
      this.#show();
    } catch (error) {
      this.#say(sentenceOf(error), true);
    }
  }

  #take(ticket) {
    const isNews = ticket.state === "matched" && this.#ticket?.matchedWith !== ticket.matchedWith
      && this.#ticket !== undefined;
    this.#ticket = ticket;
    this.#stop.hidden = ticket.state !== "open";
    const key = ticket.state === "matched" ? ticket.matchId : "";
    // What was chosen in the card stays while the match does.
    if (this.#card.dataset.match !== key) {
      this.#card.dataset.match = key;
      this.#card.replaceChildren(...(key === "" ? [] : this.#met(ticket.matchedWith)));
    }
    this.#card.hidden = ticket.state !== "matched";
    if (isAlive(ticket)) this.#keep();
    else keptTicket.forget();
    this.#listen();
    if (isNews && modes.current === "tickets") {
      this.#map.fit(ticket, this.#people.get(ticket.matchedWith));
    }
  }

  #keep() {
    const { userId, state, matchedWith } = this.#ticket;
    const people = [...this.#people.values()]
      .filter((one) => state === "open" || one.userId === matchedWith);
    keptTicket.write({ userId, people });
  }

  /** What stands in the card of a match. */
  #met(other) {
    const place = this.#people.get(other);
    const stars = this.#stars();
    const rate = button({ id: "tickets-rate", className: "primary", disabled: true }, t("rate"), () =>
      this.#act(() => api.changeTicket(this.#ticket.userId, "rate", {
        otherId: other, stars: Number(stars.querySelector(":checked").value),
      })));
    stars.addEventListener("change", () => { rate.disabled = false; });
    const dodge = button({ id: "tickets-dodge" }, t("callItOff"), () =>
      this.#act(() => api.changeTicket(this.#ticket.userId, "dodge", { otherId: other })));
    return [
      make("p", {}, t("youMeet"), make("b", {}, person(other))),
      make("p", { className: "hint" }, place ? t("meetsInCell", {
        distance: distance(place.distanceMeters), cell: distance(place.cellMeters),
      }) : t("meetsSomewhere")),
      stars, make("div", { className: "row" }, rate, dodge),
    ];
  }

  #stars() {
    const labels = Array.from({ length: mostStars }, (_, i) => {
      const radio = make("input", { type: "radio", name: "tickets-stars", value: String(i + 1) });
      radio.setAttribute("aria-label", t("starsOf", { n: i + 1, all: mostStars }));
      const star = make("span", {}, "★");
      star.setAttribute("aria-hidden", "true");
      return make("label", {}, radio, star);
    });
    return make("fieldset", { className: "stars" }, make("legend", {}, t("howWasIt")), ...labels);
  }

  /** Hears of what happens to the ticket for as long as it lasts. */
  #listen() {
    if (!isAlive(this.#ticket)) {
      this.#watch?.close();
      this.#watch = undefined;
      clearInterval(this.#timer);
      return;
    }
    if (this.#watch?.userId === this.#ticket.userId) return;
    this.#watch?.close();
    clearInterval(this.#timer);
    const { userId, version } = this.#ticket;
    const watch = api.watchTicket(userId, { afterVersion: version });
    watch.userId = userId;
    this.#watch = watch;
    const kinds = ["proposed", "withdrawn", "declined", "matched", "dodged", "closed", "expired"];
    for (const kind of kinds) {
      watch.addEventListener(kind, async (message) => {
        if (watch !== this.#watch) return;
        const said = eventText(JSON.parse(message.data));
        if (said) this.#say(said);
        await this.#reload();
      });
    }
    // People come and go.
    this.#timer = setInterval(() => document.hidden || this.#refresh(), 5000);
  }

  async #reload() {
    try {
      this.#take((await api.ticket(this.#ticket.userId)).ticket);
      this.#refresh();
    } catch (error) {
      this.#say(sentenceOf(error), true);
    }
  }

  // MARK: who is around

  async #show() {
    const ticket = this.#ticket;
    if (ticket?.state !== "open") {
      this.#around.replaceChildren();
      this.#asking.replaceChildren();
      this.#until.textContent = "";
      if (modes.current !== "tickets" || ticket?.state !== "matched") return this.#map.clear();
      return this.#map.met(ticket, this.#people.get(ticket.matchedWith));
    }
    try {
      const { around, askedMe } = await api.searchTickets(
        { userId: ticket.userId, limit: listed, radiusMeters });
      if (this.#ticket?.state !== "open") return;
      this.#list(around, askedMe);
      // Whom I asked may have fallen out of the list and still accept.
      for (const one of [...askedMe, ...around]) this.#people.set(one.userId, placeOf(one));
      this.#keep();
      if (modes.current === "tickets") {
        this.#map.waiting(this.#ticket, radiusMeters, [...askedMe, ...around]);
      }
    } catch (error) {
      if (error.reason !== "superseded") this.#say(sentenceOf(error), true);
    }
  }

  #list(around, askedMe) {
    const { expiresAt, proposalsTo = [] } = this.#ticket;
    const focused = document.activeElement?.dataset.verb && {
      user: document.activeElement.closest("li").dataset.user, verb: document.activeElement.dataset.verb,
    };
    const missing = proposalsTo.filter((id) => !around.some(({ userId }) => userId === id));
    this.#asking.replaceChildren(
      ...askedMe.map((one) => this.#item(one, ["accept", "decline"])));
    this.#around.replaceChildren(
      ...missing.map((userId) => this.#item({ ...this.#people.get(userId), userId, asked: true },
        ["withdraw"])),
      ...around.map((one) => this.#item(one, [one.asked ? "withdraw" : "propose"])));
    const isAlone = around.length === 0 && askedMe.length === 0;
    this.#until.textContent = [
      t("waitingUntil", { time: moment(new Date(expiresAt)) }), isAlone ? t("nobodyWaits") : "",
    ].join(" ").trim();
    if (!focused) return;
    const item = document.querySelector(`#tickets-section li[data-user="${CSS.escape(focused.user)}"]`);
    (item?.querySelector(`[data-verb="${focused.verb}"]`) ?? item?.querySelector("button"))
      ?.focus({ preventScroll: true });
  }

  /** A person with what may be done: the first verb is what most will want. */
  #item(one, verbs) {
    const about = [
      verbs.includes("accept") ? t("asksYou") : one.asked ? t("asked") : "",
      one.distanceMeters === undefined ? "" : distance(one.distanceMeters),
      one.online ? t("online") : "", one.tags?.join(", "),
    ].filter(Boolean).join(", ");
    const actions = verbs.map((verb, i) => {
      const isMain = i === 0 && verb !== "withdraw";
      const made = button({ className: isMain ? "join" : "" }, t(`ticketDo_${verb}`), () =>
        this.#act(() => api.changeTicket(this.#ticket.userId, verb, { otherId: one.userId })));
      made.dataset.verb = verb;
      made.setAttribute("aria-label", `${t(`ticketDo_${verb}`)}: ${person(one.userId)}`);
      return made;
    });
    const item = make("li", {}, make("b", {}, person(one.userId)),
      make("div", {}, make("small", {}, about), ...actions));
    item.dataset.user = one.userId;
    return item;
  }
}

const placeOf = ({ userId, latitude, longitude, cellMeters, distanceMeters }) =>
  ({ userId, latitude, longitude, cellMeters, distanceMeters });
