// Taxi parties: on the map with their free seats, offered and sought from place to place, each by
// its name or by a click, joined and left, with what happens to the chosen one as it happens. Nobody joins before the daemon has said
// what it means for everyone aboard, and nobody pays more than was shown.

import { api } from "./api.js";
import { make } from "./details.js";
import { distance, duration, time } from "./format.js";
import { registerPanel } from "./panels.js";
import { PlacePicker } from "./placepicker.js";
import { PlaceField, nameOf } from "./places.js";
import { throttle } from "./throttle.js";
import { identity } from "./token.js";
import { nearestCopy, viewportBox } from "./viewport.js";

const L = window.L;
const markerLimit = 500;
/** How often parties are asked for where nobody tells of changes. */
const pollMilliseconds = 5000;
// Two clicks closer than this were meant for one place: no taxi drives that far.
const shortestTripMeters = 50;

registerPanel({
  id: "parties", title: "Taxi parties",
  mount: (section, context) => new PartyPanel(section, context),
});

/** Where nobody knows a price, none is told. */
const money = (amount, fare) => amount === undefined || !fare ? "no price" :
  new Intl.NumberFormat("en", {
    style: "currency", currency: fare.currency, maximumFractionDigits: fare.minorUnitDigits ?? 0,
  }).format(amount / 10 ** (fare.minorUnitDigits ?? 0));

const name = (place) =>
  place.name || `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}`;

const minutes = (iso) => time(new Date(iso)).slice(0, 5);

/** What an event says, in a few words. */
function sentence({ kind, body }) {
  const who = body.riderId ?? body.hostId ?? "";
  return {
    created: `offered by ${who}`, joined: `${who} joined`, left: `${who} left`,
    removed: `${who} was removed`, host_changed: `${who} is host now`,
    shares_changed: "new shares", updated: "time or seats changed", departing: "leaves soon",
    departed: "has left", cancelled: "cancelled", ended: "the ride is over", settled: "settled",
    join_requested: `${who} asks to join`, request_approved: `${who} may join`,
    request_declined: `${who} was declined`, request_withdrawn: `${who} no longer asks`,
    request_expired: `nobody answered ${who} in time`,
  }[kind] ?? kind;
}

class PartyPanel {
  #map;
  #drawn = L.layerGroup();
  #trip = L.layerGroup();
  #markers = new Map();
  #feed;
  #poll;
  #watch;
  #picker;
  #picks;
  #intent;
  #chosen;
  /** What was found, by party: the way the rider goes and what it costs, as it is shown. */
  #offers = new Map();
  /** The preview that waits for an answer, `{ id, element, request, share }`. */
  #asked;
  #refresh = throttle(() => this.#show(), 400);

  constructor(section, { map }) {
    this.#map = map;
    this.#trip.addTo(map);
    this.#build(section);
    this.#picker = new PlacePicker(map);
    map.on("moveend", () => this.shown && this.#refresh());
    window.moyeo && Object.defineProperty(window.moyeo, "parties", { value: this });
  }

  get shown() {
    return this.#toggle.checked;
  }

  get parties() {
    return [...this.#markers.keys()];
  }

  /** The marker of a party, as an element. */
  element(id) {
    return this.#markers.get(id)?.marker.getElement();
  }

  get chosen() {
    return this.#chosen;
  }

  get rider() {
    return this.#who.value.trim();
  }

  // MARK: the panel

  #toggle = make("input", { type: "checkbox", id: "parties-show" });
  #who = make("input", { id: "parties-rider", value: identity.subject ?? "me", autocomplete: "off" });
  #in = make("input", {
    id: "parties-minutes", type: "number", min: 1, max: 1440, value: 30, inputMode: "numeric",
  });
  #walk = make("input", {
    id: "parties-walk", type: "number", min: 0, max: 50_000, value: 500, inputMode: "numeric",
  });
  #from = this.#field("parties-from", "From");
  #to = this.#field("parties-to", "To");
  #message = make("p", { id: "parties-message" });
  #list = make("ol", { id: "parties-matches", className: "party-list" });
  #card = make("div", { id: "party-card", hidden: true });

  #field(id, label) {
    return new PlaceField({
      id, label, centre: () => this.#map.getCenter().wrap(),
      // Whatever was being picked was for the places before.
      onChange: () => this.#picks && this.#end(""),
    });
  }

  #build(section) {
    const label = (text, input) => {
      const made = make("label", { htmlFor: input.id }, text, input);
      return made;
    };
    const offer = make("button", { type: "button", id: "parties-offer", className: "primary" },
      "Offer a ride");
    const find = make("button", { type: "button", id: "parties-find", className: "primary" },
      "Find a ride");
    this.#message.setAttribute("role", "status");
    offer.addEventListener("click", () => this.#begin("offer"));
    find.addEventListener("click", () => this.#begin("find"));
    this.#toggle.addEventListener("change", () => this.#toggled());
    const show = make("label", { className: "check", htmlFor: this.#toggle.id }, this.#toggle,
      " Show them on the map");
    section.append(
      show,
      this.#from.element, this.#to.element,
      make("div", { className: "row" }, label("You are", this.#who),
        label("Leave in, min", this.#in), label("Walk, m", this.#walk)),
      make("div", { className: "row" }, offer, find),
      this.#message, this.#list, this.#card);
  }

  #say(text, isError = false) {
    this.#message.textContent = text;
    this.#message.classList.toggle("error", isError);
  }

  // MARK: parties on the map

  #toggled() {
    if (!this.shown) {
      this.#feed?.close();
      this.#feed = undefined;
      clearInterval(this.#poll);
      this.#drawn.remove();
      this.#drawn.clearLayers();
      this.#markers.clear();
      return;
    }
    this.#drawn.addTo(this.#map);
    this.#show();
    this.#listen();
  }

  async #listen() {
    if (identity.isPerson) {
      // The feed tells of everybody: it is for services.
      clearInterval(this.#poll);
      this.#poll = setInterval(() => this.#refresh(), pollMilliseconds);
      return;
    }
    try {
      // From now on: what has happened already is in what is shown.
      let { next, events } = await api.events({ after: 0, limit: 1000 });
      while (events.length > 0) ({ next, events } = await api.events({ after: next, limit: 1000 }));
      if (!this.shown) return;
      this.#feed = api.watchEvents({ resumeToken: next });
      const kinds = ["created", "joined", "left", "removed", "updated", "departed", "cancelled"];
      for (const kind of kinds) {
        this.#feed.addEventListener(`party.${kind}`, () => this.shown && this.#refresh());
      }
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  async #show() {
    if (!this.shown || document.hidden) return;
    try {
      const { parties } = await api.searchParties({ box: viewportBox(this.#map), limit: markerLimit });
      if (this.shown) this.#draw(parties);
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  #draw(parties) {
    const gone = new Map(this.#markers);
    const centre = this.#map.getCenter().lng;
    for (const party of parties) {
      const { latitude, longitude } = party.origin;
      const label = `${party.seatsFree} of ${party.seats} seats free, to ${name(party.destination)}`;
      const known = gone.get(party.id);
      gone.delete(party.id);
      if (known?.version === party.version) continue;
      known?.marker.remove();
      const seats = make("span", {}, String(party.seatsFree));
      const marker = L.marker([latitude, nearestCopy(longitude, centre)], {
        icon: L.divIcon({
          className: `marker party ${party.state}`, html: seats, iconSize: [26, 26],
        }),
        title: label, alt: label, zIndexOffset: 1200,
      });
      marker.on("click", () => this.#choose(party.id));
      this.#drawn.addLayer(marker);
      marker.getElement()?.setAttribute("aria-label", `${label}. Shows the party.`);
      this.#markers.set(party.id, { marker, version: party.version });
    }
    for (const [id, { marker }] of gone) {
      this.#drawn.removeLayer(marker);
      this.#markers.delete(id);
    }
  }

  // MARK: from and to

  /** Each end is a place chosen by name, or the next click on the map. */
  async #begin(intent) {
    this.#intent = intent;
    this.#list.replaceChildren();
    this.#from.forgetPicked();
    this.#to.forgetPicked();
    this.#picks = undefined;
    let ends;
    try {
      ends = [await this.#from.resolve(), await this.#to.resolve()];
    } catch (error) {
      return this.#end(error.message, true);
    }
    this.#trip.clearLayers();
    this.#picks = ends;
    ends.forEach((place, index) => place && this.#mark(place, index));
    this.#picker.begin((place) => this.#picked(place), () => this.#end(""));
    this.#proceed();
  }

  /** Asks for the end that is missing, or goes. */
  #proceed() {
    const [origin, destination] = this.#picks;
    if (!origin) return this.#say("Click where the ride begins (Escape stops).");
    if (!destination) return this.#say("Now click where it ends.");
    const length = this.#map.distance(
      [origin.latitude, origin.longitude], [destination.latitude, destination.longitude]);
    if (length < shortestTripMeters) return this.#refuse(length);
    this.#depart();
  }

  #refuse(length) {
    const isFixed = this.#from.place && this.#to.place;
    const text = `A ride must be at least ${shortestTripMeters} m long, this one is `
      + `${distance(length)}.`;
    if (isFixed) return this.#end(text, true);
    // The click comes again.
    const last = this.#to.place ? 0 : 1;
    this.#picks[last] = undefined;
    this.#trip.removeLayer(this.#trip.getLayers().at(-1));
    this.#say(`${text} Click where it ${last === 0 ? "begins" : "ends"}.`, true);
  }

  #depart() {
    const picks = this.#picks;
    const go = async () => {
      await this.#named(picks);
      // Stopped, or begun anew, while the names were asked for.
      if (this.#picks !== picks) return;
      const [origin, destination] = picks;
      const trip = {
        origin, destination, maxWalkMeters: Number(this.#walk.value) || 0,
        departureTime: new Date(Date.now() + Number(this.#in.value) * 60_000).toISOString(),
      };
      if (this.#intent === "offer") await this.#offer(trip);
      else await this.#find(trip);
    };
    go();
  }

  /** Waits until both ends have their names, as far as they are known. */
  async #named(picks) {
    await Promise.all(picks.map(async (place, index) => {
      if (!place.naming) return;
      place.name = await place.naming;
      delete place.naming;
      (index === 0 ? this.#from : this.#to).show(place.name || name(place));
    }));
  }

  #mark({ latitude, longitude }, index) {
    this.#trip.addLayer(L.circleMarker([latitude, nearestCopy(longitude, this.#map.getCenter().lng)], {
      radius: 7, className: index === 0 ? "trip-from" : "trip-to", interactive: false,
    }));
  }

  #end(text, isError = false) {
    this.#picks = undefined;
    this.#picker.end();
    this.#say(text, isError);
  }

  #picked({ latitude, longitude }) {
    const index = this.#picks?.findIndex((place) => place === undefined) ?? -1;
    if (index < 0) return;
    const place = { name: "", latitude, longitude };
    const field = index === 0 ? this.#from : this.#to;
    place.naming = nameOf(place);
    place.naming.then((text) => this.#picks?.[index] === place && field.show(text || name(place)));
    this.#picks[index] = place;
    this.#mark(place, index);
    this.#proceed();
  }

  async #offer(trip) {
    try {
      const { party } = await api.createParty({ hostId: this.rider, ...trip }, crypto.randomUUID());
      this.#end(`Offered: ${money(party.perPersonIfFull, party.fare)} a seat once it is full.`);
      if (this.shown) this.#refresh();
      else {
        this.#toggle.checked = true;
        this.#toggled();
      }
      this.#choose(party.id);
    } catch (error) {
      this.#end(error.message, true);
    }
  }

  async #find(trip) {
    try {
      const answer = await api.matchParties({ riderId: this.rider, explain: true, ...trip });
      this.#offers.clear();
      for (const { party, yourFare } of answer.candidates) {
        this.#offers.set(party.id, { rider: this.rider, trip, share: yourFare });
      }
      const hint = answer.explanation.relaxation?.message;
      this.#end(answer.candidates.length > 0
        ? `${answer.candidates.length} of ${answer.explanation.considered} parties go your way.`
        : `No party goes your way${hint ? `: ${hint}.` : "."}`);
      this.#list.replaceChildren(...answer.candidates.map((one) => this.#candidate(one)));
    } catch (error) {
      this.#end(error.message, true);
    }
  }

  #candidate({ party, walkMeters, yourFare, yourSaving }) {
    const open = make("button", { type: "button", className: "open" },
      `${minutes(party.departureTime)} ${name(party.origin)} → ${name(party.destination)}`);
    open.addEventListener("click", () => this.#choose(party.id));
    const join = make("button", { type: "button", className: "join" }, "Join");
    join.addEventListener("click", () => this.#ask(party.id));
    const saves = yourSaving === undefined ? "" : `saves ${money(yourSaving, party.fare)}, `;
    const text = `${money(yourFare, party.fare)}, ${saves}walk ${distance(walkMeters)}`;
    const item = make("li", {}, open, make("div", {}, make("small", {}, text), join));
    item.dataset.party = party.id;
    return item;
  }

  // MARK: joining

  /** The rider's own way where it is known: without it Join is for all of the party's way. */
  #request(id) {
    const offer = this.#offers.get(id);
    if (offer?.rider !== this.rider) return { riderId: this.rider };
    const { origin, destination, maxWalkMeters } = offer.trip;
    return { riderId: this.rider, origin, destination, maxWalkMeters };
  }

  /** Shows what joining would mean for everyone and waits for a yes. */
  async #ask(id) {
    try {
      if (this.#chosen?.id !== id) await this.#choose(id);
      if (this.#chosen?.id !== id) return;
      const request = this.#request(id);
      const preview = await api.previewJoin(id, request);
      if (this.#chosen?.id !== id) return;
      if (preview.refusal) {
        this.#forget();
        return this.#say(preview.refusalMessage, true);
      }
      this.#say("");
      const share = preview.now.find(({ riderId }) => riderId === this.rider).share;
      this.#asked?.element.remove();
      this.#asked = { id, request, share, element: this.#preview(preview, share) };
      this.#describe(this.#chosen);
      this.#asked.element.querySelector("#party-confirm").focus();
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  #preview({ now, ifFull, fare }, share) {
    const before = new Map(this.#chosen.riders.map((rider) => [rider.riderId, rider.share]));
    const full = new Map(ifFull.map((rider) => [rider.riderId, rider.share]));
    const riders = now.map((rider) => {
      const known = before.get(rider.riderId);
      const detour =
        rider.detourSeconds < 30 ? "no detour" : `detour ${duration(rider.detourSeconds)}`;
      const notes = [
        known === undefined || !fare ? undefined : `now ${money(known, fare)}`,
        full.has(rider.riderId) && fare ? `if full ${money(full.get(rider.riderId), fare)}` : undefined,
        `ride ${duration(rider.rideSeconds)}`, detour,
      ];
      return make("li", {},
        make("span", {}, rider.riderId === this.rider ? "you" : rider.riderId,
          make("small", {}, notes.filter(Boolean).join(" · "))),
        make("b", {}, money(rider.share, fare)));
    });
    const confirm = make("button", { type: "button", id: "party-confirm", className: "primary" },
      `${this.#chosen.approval ? "Ask to join" : "Join"} for ${money(share, fare)}`);
    confirm.addEventListener("click", () => this.#confirm());
    const decline = make("button", { type: "button", id: "party-decline" }, "Not now");
    decline.addEventListener("click", () => this.#forget());
    const box = make("div", { id: "party-preview" },
      make("p", {}, make("b", {}, fare ? `You pay at most ${money(share, fare)}` : "No price"),
        this.#chosen.approval ? " if the host lets you in." : " if you join now."),
      make("ul", { className: "party-riders" }, ...riders),
      make("div", { className: "row" }, confirm, decline));
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "What joining means");
    return box;
  }

  /** Joins as shown: the same way, and not for more. */
  async #confirm() {
    const { id, request, share } = this.#asked;
    try {
      const { party, joinRequest } = await api.changeParty(
        id, "join", { ...request, maxShare: share }, crypto.randomUUID());
      this.#forget();
      this.#say(joinRequest?.state === "pending" ? "The host was asked." : "");
      this.#list.replaceChildren();
      this.#describe(party);
    } catch (error) {
      if (error.reason === "share_exceeded") await this.#ask(id);
      else this.#forget();
      this.#say(error.message, true);
    }
  }

  #forget() {
    if (!this.#asked) return;
    this.#asked.element.remove();
    this.#asked = undefined;
    if (this.#chosen) this.#describe(this.#chosen);
  }

  // MARK: one party

  async #change(id, verb, body = { riderId: this.rider }) {
    try {
      const { party } = await api.changeParty(id, verb, body, crypto.randomUUID());
      this.#say("");
      this.#describe(party);
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  async #choose(id) {
    this.#watch?.close();
    this.#forget();
    try {
      const { party } = await api.party(id);
      this.#card.hidden = false;
      this.#card.replaceChildren();
      this.#log = make("ol", { id: "party-events", className: "party-events" });
      this.#log.setAttribute("aria-label", "What happens");
      this.#log.setAttribute("aria-live", "polite");
      this.#describe(party);
      this.#watch = api.watchParty(id, { afterVersion: 0 });
      for (const kind of ["created", "joined", "left", "removed", "host_changed", "updated",
        "shares_changed", "departing", "departed", "cancelled", "ended", "settled",
        "join_requested", "request_approved", "request_declined", "request_withdrawn",
        "request_expired"]) {
        this.#watch.addEventListener(kind, (event) => this.#happened(id, JSON.parse(event.data)));
      }
    } catch (error) {
      this.#say(error.message, true);
    }
  }

  #log;
  #reread = throttle(async () => {
    if (!this.#chosen) return;
    const { party } = await api.party(this.#chosen.id).catch(() => ({}));
    if (!party || party.id !== this.#chosen?.id) return;
    this.#describe(party);
    // Somebody came or went: what was shown no longer holds.
    if (this.#asked) this.#ask(party.id);
  }, 300);

  #happened(id, event) {
    if (this.#chosen?.id !== id) return;
    if (event.kind !== "shares_changed") {
      this.#log.prepend(make("li", {}, `${time(new Date(event.at))} ${sentence(event)}`));
    }
    if (event.version !== this.#chosen.version) this.#reread();
  }

  #describe(party) {
    this.#chosen = party;
    this.#trip.clearLayers();
    const centre = this.#map.getCenter().lng;
    this.#trip.addLayer(L.polyline(
      party.route.path.map(([lng, lat]) => [lat, nearestCopy(lng, centre)]),
      { className: "party-route", interactive: false }));
    const riders = party.riders.map((rider) => make("li", {},
      make("span", {}, rider.riderId), make("b", {}, money(rider.share, party.fare))));
    const aboard = party.riders.some(({ riderId }) => riderId === this.rider);
    const active = party.state === "open" || party.state === "full";
    const button = (verb, text, isShown) => {
      if (!isShown) return undefined;
      const made = make("button", { type: "button", id: `party-${verb}` }, text);
      made.addEventListener(
        "click", () => (verb === "join" ? this.#ask(party.id) : this.#change(party.id, verb)));
      return made;
    };
    const close = make("button", { type: "button", id: "party-close" }, "Close");
    close.addEventListener("click", () => this.#close());
    this.#card.replaceChildren(
      make("h3", {}, `${name(party.origin)} → ${name(party.destination)}`),
      make("p", { className: "hint" },
        `${party.state}, leaves ${minutes(party.departureTime)}, ${party.seatsFree} of `
        + `${party.seats} seats free, ${distance(party.route.distanceMeters)}, `
        + (party.fare ? `fare ${money(party.fare.expected, party.fare)}` : "no price")
        + (party.approval ? `, the host decides, ${party.pendingRequests} waiting` : "")),
      make("ul", { id: "party-riders", className: "party-riders" }, ...riders),
      this.#waiting(party),
      make("div", { className: "row" }, ...[
        button("join", party.approval ? "Ask to join" : "Join",
          active && !aboard && party.seatsFree > 0 && !this.#asked),
        button("leave", "Leave", active && aboard),
        button("cancel", "Cancel", active && party.hostId === this.rider), close,
      ].filter(Boolean)),
      this.#asked?.element ?? "", this.#log ?? "");
  }

  /** Requests that wait: the host decides on each, a rider takes their own back. */
  #waiting(party) {
    const pending = party.joinRequests?.filter(({ state }) => state === "pending") ?? [];
    if (pending.length === 0) return "";
    const choice = (request, verb, text) => {
      const made = make("button", { type: "button", className: verb }, text);
      made.addEventListener("click", () => this.#change(party.id, `requests/${request.id}/${verb}`,
        verb === "withdraw" ? { riderId: this.rider } : { hostId: this.rider }));
      return made;
    };
    const items = pending.map((request) => make("li", {},
      make("span", {}, `${request.riderId} asks`,
        make("small", {}, `until ${minutes(request.expiresAt)}`)),
      ...(party.hostId === this.rider
        ? [choice(request, "approve", "Approve"), choice(request, "decline", "Decline")] : []),
      ...(request.riderId === this.rider ? [choice(request, "withdraw", "Withdraw")] : [])));
    return make("ul", { id: "party-requests", className: "party-riders" }, ...items);
  }

  #close() {
    this.#watch?.close();
    this.#forget();
    this.#chosen = undefined;
    this.#trip.clearLayers();
    this.#card.hidden = true;
  }
}
