// Study mates: who waits around here, asked, accepted and met, each by two clicks. People stand at
// the middle of a cell; the daemon tells nobody where in it they are.

import { api } from "./api.js";
import { make } from "./elements.js";
import { distance, moment, person } from "./format.js";
import { hasText, sentenceOf, t } from "./language.js";
import { modes } from "./modes.js";
import { registerPanel } from "./panels.js";
import { PlacePicker } from "./placepicker.js";
import { throttle } from "./throttle.js";
import { identity } from "./token.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
const listed = 30;
const leastPixels = 44;

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

class TicketPanel {
  #map;
  #drawn = L.layerGroup();
  #picker;
  #ticket;
  #watch;
  #refresh = throttle(() => this.#show(), 800);
  #timer;

  constructor(section, { map }) {
    this.#map = map;
    this.#drawn.addTo(map);
    this.#build(section);
    this.#picker = new PlacePicker(map);
    modes.onChange((mode) => {
      if (mode === "tickets") return this.#show();
      this.#drawn.clearLayers();
      if (this.#picker.isPicking) {
        this.#picker.end();
        this.#say("");
      }
    });
    window.moyeo && Object.defineProperty(window.moyeo, "tickets", { value: this });
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
    this.#stop.addEventListener("click", () => this.#act(() => api.closeTicket(this.user)));
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
    await this.#act(() => api.openTicket({
      userId: this.user, here, tags,
    }));
    this.#listen();
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
    this.#ticket = ticket;
    this.#stop.hidden = ticket.state !== "open";
    this.#card.hidden = ticket.state !== "matched";
    this.#card.replaceChildren();
    if (ticket.state === "matched") this.#met(ticket.matchedWith);
  }

  #met(other) {
    const button = (id, text, act) => {
      const made = make("button", { type: "button", id }, text);
      made.addEventListener("click", () => this.#act(act));
      return made;
    };
    this.#card.append(
      make("p", {}, t("youMeet"), make("b", {}, person(other))),
      make("div", { className: "row" },
        button("tickets-rate", t("itWasGood"), () =>
          api.changeTicket(this.user, "rate", { otherId: other, stars: 5 })),
        button("tickets-dodge", t("callItOff"), () =>
          api.changeTicket(this.user, "dodge", { otherId: other }))));
  }

  #listen() {
    this.#watch?.close();
    clearInterval(this.#timer);
    if (this.#ticket?.state !== "open") return;
    this.#watch = api.watchTicket(this.user, { afterVersion: this.#ticket.version });
    const kinds = ["proposed", "withdrawn", "declined", "matched", "dodged", "closed", "expired"];
    for (const kind of kinds) {
      this.#watch.addEventListener(kind, async (message) => {
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
      this.#take((await api.ticket(this.user)).ticket);
      this.#refresh();
    } catch (error) {
      this.#say(sentenceOf(error), true);
    }
  }

  // MARK: who is around

  async #show() {
    if (this.#ticket?.state !== "open") {
      this.#drawn.clearLayers();
      this.#around.replaceChildren();
      this.#asking.replaceChildren();
      this.#until.textContent = "";
      return;
    }
    try {
      const { around, askedMe } = await api.searchTickets({ userId: this.user, limit: listed });
      if (this.#ticket?.state !== "open") return;
      this.#asking.replaceChildren(...askedMe.map((one) => this.#item(one, "accept", t("accept"))));
      this.#around.replaceChildren(...around.map((one) => this.#item(one, "propose", t("ask"))));
      const isAlone = around.length === 0 && askedMe.length === 0;
      this.#until.textContent = [
        t("waitingUntil", { time: moment(new Date(this.#ticket.expiresAt)) }),
        isAlone ? t("nobodyWaits") : "",
      ].join(" ").trim();
      this.#draw([...askedMe, ...around]);
    } catch (error) {
      if (error.reason !== "superseded") this.#say(sentenceOf(error), true);
    }
  }

  #item(one, verb, text) {
    const act = make("button", { type: "button", className: "join" },
      verb === "propose" && one.asked ? t("asked") : text);
    act.disabled = verb === "propose" && one.asked;
    act.addEventListener("click", () => this.#act(() =>
      api.changeTicket(this.user, verb, { otherId: one.userId })));
    const about = [
      verb === "accept" ? t("asksYou") : "", distance(one.distanceMeters),
      one.online ? t("online") : "", one.tags.join(", "),
    ].filter(Boolean).join(", ");
    const item = make("li", {}, make("b", {}, person(one.userId)),
      make("div", {}, make("small", {}, about), act));
    item.dataset.user = one.userId;
    return item;
  }

  /** People of a cell stand at one point, and cells close together on the screen as one. */
  #draw(people) {
    this.#drawn.clearLayers();
    if (modes.current !== "tickets") return;
    const centre = this.#map.getCenter().lng;
    const groups = [];
    for (const one of people) {
      const point = this.#map.project([one.latitude, one.longitude]);
      const mates = groups.find((group) => group.point.distanceTo(point) < leastPixels);
      if (mates) mates.people.push(one);
      else groups.push({ point, people: [one] });
    }
    for (const { people: here } of groups) {
      const { latitude, longitude } = here[0];
      const label = t("cellLabel", {
        n: here.length, names: here.map(({ userId }) => person(userId)).join(", "),
      });
      this.#drawn.addLayer(L.marker([latitude, nearestCopy(longitude, centre)], {
        icon: L.divIcon({
          className: "marker ticket", iconSize: [0, 0],
          html: make("span", { className: "pill" }, make("em", {}, String(here.length))),
        }),
        title: label, alt: label, zIndexOffset: 1300, keyboard: false,
      }));
    }
  }
}
