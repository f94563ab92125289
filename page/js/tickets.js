// Study mates: who waits around here, asked, accepted and met, each by two clicks. People stand at
// the middle of a cell; the daemon tells nobody where in it they are.

import { api } from "./api.js";
import { make } from "./details.js";
import { distance } from "./format.js";
import { registerPanel } from "./panels.js";
import { PlacePicker } from "./placepicker.js";
import { throttle } from "./throttle.js";
import { identity } from "./token.js";
import { nearestCopy } from "./viewport.js";

const L = window.L;
const listed = 30;

registerPanel({
  id: "tickets", title: "Study mates",
  mount: (section, context) => new TicketPanel(section, context),
});

/** What an event says, in a few words; undefined: nothing worth saying. */
function sentence({ kind, body }) {
  const who = body.otherId ?? "";
  return {
    proposed: `${who} asks you.`, withdrawn: `${who} no longer asks.`,
    declined: `${who} said no.`, matched: `You meet ${who}.`,
    dodged: body.dodgedBy === who ? `${who} called it off.` : "You called it off.",
    expired: "Your waiting is over.",
  }[kind];
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
  #tags = make("input", { id: "tickets-tags", autocomplete: "off", placeholder: "any" });
  #message = make("p", { id: "tickets-message" });
  #card = make("div", { id: "ticket-card", hidden: true });
  #asking = make("ol", { id: "tickets-asking", className: "party-list" });
  #around = make("ol", { id: "tickets-around", className: "party-list" });
  #stop = make("button", { type: "button", id: "tickets-stop", hidden: true }, "Stop waiting");

  #build(section) {
    const label = (text, input) => make("label", { htmlFor: input.id }, text, input);
    const wait = make("button", { type: "button", id: "tickets-wait", className: "primary" },
      "Look for a mate");
    this.#message.setAttribute("role", "status");
    wait.addEventListener("click", () => this.#pick());
    this.#stop.addEventListener("click", () => this.#act(() => api.closeTicket(this.user)));
    section.append(
      make("div", { className: "row" }, label("You are", this.#who),
        label("You study", this.#tags)),
      make("div", { className: "row" }, wait, this.#stop),
      this.#message, this.#card, this.#asking, this.#around);
  }

  #say(text, isError = false) {
    this.#message.textContent = text;
    this.#message.classList.toggle("error", isError);
  }

  // MARK: waiting

  #pick() {
    this.#picker.begin((here) => this.#wait(here), () => this.#say(""));
    this.#say("Click where you are (Escape stops).");
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
      this.#say(error.message, true);
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
      make("p", {}, "You meet ", make("b", {}, other)),
      make("div", { className: "row" },
        button("tickets-rate", "It was good", () =>
          api.changeTicket(this.user, "rate", { otherId: other, stars: 5 })),
        button("tickets-dodge", "Call it off", () =>
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
        const said = sentence(JSON.parse(message.data));
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
      this.#say(error.message, true);
    }
  }

  // MARK: who is around

  async #show() {
    if (this.#ticket?.state !== "open") {
      this.#drawn.clearLayers();
      this.#around.replaceChildren();
      this.#asking.replaceChildren();
      return;
    }
    try {
      const { around, askedMe } = await api.searchTickets({ userId: this.user, limit: listed });
      if (this.#ticket?.state !== "open") return;
      this.#asking.replaceChildren(...askedMe.map((one) => this.#item(one, "accept", "Accept")));
      this.#around.replaceChildren(...around.map((one) => this.#item(one, "propose", "Ask")));
      this.#draw([...askedMe, ...around]);
    } catch (error) {
      if (error.reason !== "superseded") this.#say(error.message, true);
    }
  }

  #item(person, verb, text) {
    const act = make("button", { type: "button", className: "join" },
      verb === "propose" && person.asked ? "Asked" : text);
    act.disabled = verb === "propose" && person.asked;
    act.addEventListener("click", () => this.#act(() =>
      api.changeTicket(this.user, verb, { otherId: person.userId })));
    const about = [
      verb === "accept" ? "asks you" : "", distance(person.distanceMeters),
      person.online ? "online" : "", person.tags.join(", "),
    ].filter(Boolean).join(", ");
    const item = make("li", {}, make("b", {}, person.userId),
      make("div", {}, make("small", {}, about), act));
    item.dataset.user = person.userId;
    return item;
  }

  /** People of a cell stand at one point: one marker says how many. */
  #draw(people) {
    this.#drawn.clearLayers();
    const centre = this.#map.getCenter().lng;
    const cells = new Map();
    for (const person of people) {
      const key = `${person.latitude} ${person.longitude}`;
      cells.set(key, [...(cells.get(key) ?? []), person]);
    }
    for (const here of cells.values()) {
      const { latitude, longitude } = here[0];
      const label = `${here.length} waiting: ${here.map(({ userId }) => userId).join(", ")}`;
      this.#drawn.addLayer(L.marker([latitude, nearestCopy(longitude, centre)], {
        icon: L.divIcon({
          className: "marker ticket", html: make("span", {}, String(here.length)),
          iconSize: [26, 26],
        }),
        title: label, alt: label, zIndexOffset: 1300, keyboard: false,
      }));
    }
  }
}
