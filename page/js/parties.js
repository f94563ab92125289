// Taxi rides to share: on the map with their free seats, offered and sought from place to place, each
// by its name or by a click, joined and left, with what happens to the chosen one as it happens.
// Nobody joins before the daemon has said what it means for everyone aboard, and nobody pays more
// than was shown.

import { api } from "./api.js";
import { button, make } from "./elements.js";
import { distance, moment, money, person, time } from "./format.js";
import { sentenceOf, t } from "./language.js";
import { modes } from "./modes.js";
import { registerPanel } from "./panels.js";
import { commuteOf, repeats, ridesAll } from "./partycommute.js";
import { departure, fillCard, placeName, previewBox, wayName } from "./partycard.js";
import { PartyFeed, partyEvents } from "./partyfeed.js";
import { PartyMarkers, pips } from "./partymarkers.js";
import { waitingRequests } from "./partyrequests.js";
import { RideForm } from "./rideform.js";
import { throttle } from "./throttle.js";
import { Trip } from "./trip.js";
import { viewportBox } from "./viewport.js";

const markerLimit = 500;
const listed = 6;
/** Places closer than this have one pin. */
const samePlaceMeters = 60;

registerPanel({
  id: "parties", tab: t("modeParties"), title: t("ridesTitle"),
  mount: (section, context) => new PartyPanel(section, context),
});

/** What an event says, in a few words. */
function eventText({ kind, body }) {
  return t(`event_${kind}`, { who: person(body.riderId ?? body.hostId ?? "") });
}

class PartyPanel {
  #map;
  #scene;
  #sheet;
  #trip;
  #markers;
  #feed;
  #form;
  #watch;
  #chosen;
  /** What the chosen one is a day of, where it repeats. */
  #commute;
  #log;
  /** What was found, by party: the way the rider goes and what it costs, as it is shown. */
  #offers = new Map();
  /** The preview that waits for an answer, `{ id, element, request, share, preview, isSeries }`. */
  #asked;
  #refresh = throttle(() => this.#show(), 400);
  #message = make("p", { id: "parties-message" });
  #card = make("div", { id: "party-card", hidden: true });
  #list = make("ol", { id: "parties-matches", className: "party-list" });
  #instead = make("div", { className: "row" });
  #nearby = make("ol", { id: "parties-nearby", className: "party-list" });
  #nearbyText = make("p", { className: "hint", id: "parties-nearby-text" });

  constructor(section, { map, scene, sheet }) {
    this.#map = map;
    this.#scene = scene;
    this.#trip = new Trip(map);
    this.#markers = new PartyMarkers(map, {
      onChoose: (id) => this.#choose(id), onList: (parties) => this.#listHere(parties),
      obstacles: () => this.#trip.boxes,
    });
    this.#feed = new PartyFeed({
      onChange: (event) => this.#changed(event), onError: (error) => this.#fail(error),
    });
    this.#form = new RideForm(map, {
      trip: this.#trip, say: (text, isError) => this.#say(text, isError),
      onBegin: () => {
        modes.show("parties");
        this.#clearResults();
      },
      onOffer: (ride) => this.#offer(ride), onFind: (ride) => this.#find(ride),
    });
    this.#message.setAttribute("role", "status");
    // Results stand above the form: what was asked for is seen first.
    section.append(this.#message, this.#instead, this.#card, this.#list, this.#form.element,
      this.#nearbyText, this.#nearby);
    map.on("moveend", () => this.shown && this.#refresh());
    modes.onChange((mode) => this.#toggled(mode === "parties"));
    this.#sheet = sheet;
    window.moyeo && Object.defineProperty(window.moyeo, "parties", { value: this });
  }

  /** Whether rides are what the page is for now. */
  get shown() {
    return modes.current === "parties";
  }

  get parties() {
    return this.#markers.ids;
  }

  /** The marker of a party, as an element. */
  element(id) {
    return this.#markers.element(id);
  }

  get chosen() {
    return this.#chosen;
  }

  get rider() {
    return this.#form.rider;
  }

  /** Shows one ride, from wherever somebody came upon it. */
  open(id) {
    modes.show("parties");
    return this.#choose(id);
  }

  #say(text, isError = false) {
    this.#message.textContent = text;
    this.#message.classList.toggle("error", isError);
    if (text) this.#reveal();
  }

  #fail(error) {
    this.#say(sentenceOf(error), true);
  }

  /** To the top of the panel, where results stand. */
  #reveal() {
    const body = document.getElementById("panel-body");
    if (this.shown && !body.contains(document.activeElement?.closest("#party-preview"))) {
      body.scrollTop = 0;
    }
  }

  #clearResults() {
    this.#list.replaceChildren();
    this.#instead.replaceChildren();
  }

  // MARK: rides on the map

  #toggled(isOn) {
    if (isOn) {
      this.#show();
      this.#feed.begin();
      return;
    }
    this.#feed.end();
    this.#markers.clear();
    this.#form.stop();
    this.#close();
  }

  #changed({ kind, partyId }) {
    if (!this.shown) return;
    this.#refresh();
    const known = this.#parties.find(({ id }) => id === partyId);
    if (known && kind !== "party.updated") {
      this.#scene.pulse(known.origin.latitude, known.origin.longitude);
    }
  }

  #parties = [];

  async #show() {
    if (!this.shown || document.hidden) return;
    try {
      const { parties } = await api.searchParties({
        box: viewportBox(this.#map), limit: markerLimit,
      });
      if (!this.shown) return;
      this.#parties = parties;
      this.#markers.show(parties, this.#chosen?.id);
      this.#listNearby();
    } catch (error) {
      if (error.reason !== "superseded") this.#fail(error);
    }
  }

  #row(party, ...more) {
    const open = button({ className: "open" }, wayName(party), () => this.#choose(party.id));
    const item = make("li", {}, open, make("div", {},
      make("small", {}, departure(party)), pips(party),
      make("b", {}, money(party.perPersonIfFull, party.fare))), ...more);
    item.dataset.party = party.id;
    return item;
  }

  /** The next ones to leave, for who reads rather than looks at the map. */
  #listNearby() {
    const open = this.#parties.filter(({ state, seatsFree }) => state === "open" && seatsFree > 0)
      .sort((a, b) => (a.departureTime < b.departureTime ? -1 : 1));
    this.#nearbyText.textContent = open.length === 0 ? t("noRidesInView")
      : t("ridesInView", { n: open.length });
    if (this.#nearby.contains(document.activeElement)) return;
    this.#nearby.replaceChildren(...open.slice(0, listed).map((party) => this.#row(party)));
  }

  /** Rides that begin at one and the same place. */
  #listHere(parties) {
    this.#close();
    this.#clearResults();
    this.#list.replaceChildren(...parties.map((party) => this.#row(party)));
    this.#say(t("ridesInView", { n: parties.length }));
    this.#list.querySelector("button")?.focus();
  }

  // MARK: offering and finding

  async #offer(ride) {
    try {
      const { party } = await api.createParty(
        { hostId: this.rider, ...RideForm.offered(ride) }, crypto.randomUUID());
      this.#form.end(t("offered", { money: money(party.perPersonIfFull, party.fare) }));
      this.#refresh();
      this.#choose(party.id);
    } catch (error) {
      this.#form.end(sentenceOf(error), true);
    }
  }

  async #find(ride) {
    try {
      const answer = await api.matchParties({
        riderId: this.rider, explain: true, ...RideForm.sought(ride),
      });
      const { candidates, explanation } = answer;
      this.#close();
      this.#offers.clear();
      for (const { party, yourFare } of candidates) {
        this.#offers.set(party.id, { rider: this.rider, ride, share: yourFare });
      }
      const hint = explanation.relaxation?.message;
      this.#form.end(candidates.length > 0
        ? t("found", { n: candidates.length, all: explanation.considered })
        : hint ? t("foundNoneHint", { hint }) : t("foundNone"));
      this.#list.replaceChildren(...candidates.map((one) => this.#candidate(one)));
      this.#otherwise(ride, candidates.length);
      if (candidates.length > 0) this.#drawCandidate(ride, candidates[0]);
    } catch (error) {
      this.#form.end(sentenceOf(error), true);
    }
  }

  /** What else there is to do, above all when nothing was found. */
  #otherwise(ride, found) {
    const board = !ride.boarding && button({ id: "parties-board" }, t("boardInstead"), () => {
      this.#form.boards = true;
      this.#clearResults();
      this.#find({ ...ride, boarding: ride.origin });
    });
    const offer = found === 0 && button({ id: "parties-offer-instead" }, t("offerInstead"), () => {
      this.#clearResults();
      this.#offer(ride);
    });
    this.#instead.replaceChildren(...[board, offer].filter(Boolean));
  }

  #candidate({ party, walkMeters, yourFare, yourSaving, boardingTime }) {
    const join = button({ className: "join" }, t("join"), () => this.#ask(party.id));
    const open = button({ className: "open" },
      `${moment(new Date(party.departureTime))} ${wayName(party)}`, () => this.#choose(party.id));
    const notes = [
      money(yourFare, party.fare),
      yourSaving !== undefined && t("saves", { money: money(yourSaving, party.fare) }),
      t("walk", { distance: distance(walkMeters) }),
      boardingTime && t("getIn", { time: moment(new Date(boardingTime)) }),
    ].filter(Boolean).join(", ");
    const item = make("li", {}, open, make("div", {}, make("small", {}, notes), pips(party), join));
    item.dataset.party = party.id;
    return item;
  }

  #drawCandidate(ride, { party, route, boarding, yourFare }) {
    this.#draw({ party, route: route ?? party.route, ride, boarding,
      price: money(yourFare, party.fare) });
    this.#trip.fit();
  }

  // MARK: drawing

  /** The taxi's way; with the rider's own walk and halts where they are known. */
  #draw({ party, route, ride, boarding, boardingTime, price }) {
    this.#trip.clear();
    const isSame = (a, b) => this.#map.distance(
      [a.latitude, a.longitude], [b.latitude, b.longitude]) < samePlaceMeters;
    const leaves = moment(new Date(party.departureTime));
    this.#trip.ride(route);
    const boards = boarding && !isSame(boarding, party.origin);
    this.#trip.pin(party.origin, "start",
      `${t(ride && !boards ? "boardHere" : "startHere")} ${leaves}`);
    if (boards) {
      this.#trip.pin(boarding, "board", [t("boardHere"),
        boardingTime && moment(new Date(boardingTime))].filter(Boolean).join(" "));
    }
    const goesOn = ride && !isSame(ride.destination, party.destination);
    if (goesOn) this.#trip.pin(ride.destination, "alight", t("alightHere"));
    this.#trip.pin(party.destination, "end",
      ride && !goesOn ? t("alightHere") : placeName(party.destination));
    if (ride) {
      const start = boards ? boarding : party.origin;
      if (!isSame(ride.origin, start)) this.#trip.pin(ride.origin, "you", t("youHere"));
      this.#trip.walk(ride.origin, start);
    }
    this.#trip.price(price, pips(party));
    this.#markers.makeWay();
  }

  // MARK: joining

  /** The rider's own way where it is known: without it Join is for all of the party's way. */
  #request(id) {
    const offer = this.#offers.get(id);
    if (offer?.rider !== this.rider) return { riderId: this.rider };
    return { riderId: this.rider, ...RideForm.joining(offer.ride) };
  }

  /** Shows what joining would mean for everyone and waits for a yes. */
  async #ask(id, isSeries = false) {
    try {
      if (this.#chosen?.id !== id) await this.#choose(id);
      if (this.#chosen?.id !== id) return;
      const request = this.#request(id);
      const preview = await api.previewJoin(id, request);
      if (this.#chosen?.id !== id) return;
      if (preview.refusal) {
        this.#forget();
        return this.#fail({ reason: preview.refusal, message: preview.refusalMessage });
      }
      this.#say("");
      const { box, share } = previewBox(preview, {
        party: this.#chosen, me: this.rider, isSeries,
        onYes: () => this.#confirm(), onNo: () => this.#forget(),
      });
      this.#asked = { id, request, share, preview, isSeries, element: box };
      this.#describe(this.#chosen);
      this.#trip.fit();
      box.querySelector("#party-confirm").focus();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Joins as shown: the same way, and not for more. */
  async #confirm() {
    const { id, request, share, isSeries } = this.#asked;
    try {
      if (isSeries) return await this.#joinAll({ ...request, maxShare: share });
      const { party, joinRequest } = await api.changeParty(
        id, "join", { ...request, maxShare: share }, crypto.randomUUID());
      this.#forget();
      this.#say(joinRequest?.state === "pending" ? t("hostAsked") : "");
      this.#clearResults();
      this.#describe(party);
      this.#reveal();
      this.#scene.pulse(party.origin.latitude, party.origin.longitude);
    } catch (error) {
      if (error.reason === "share_exceeded") await this.#ask(id, isSeries);
      else this.#forget();
      this.#fail(error);
    }
  }

  /** Joins each day as it appears, and this one; times are each day's own. */
  async #joinAll({ departureTime, ...request }) {
    await this.#changeAll("join", request);
    this.#clearResults();
    this.#reveal();
  }

  async #changeAll(verb, body = { riderId: this.rider }) {
    const { id, commuteId } = this.#chosen;
    const { commute } = await api.changeCommute(commuteId, verb, body, crypto.randomUUID());
    if (this.#chosen?.id !== id) return;
    this.#commute = commute;
    this.#forget();
    this.#say("");
    this.#reread();
  }

  #forget() {
    if (!this.#asked) return;
    this.#asked.element.remove();
    this.#asked = undefined;
    if (this.#chosen) this.#describe(this.#chosen);
  }

  // MARK: one ride

  async #change(id, verb, body = { riderId: this.rider }) {
    try {
      const { party } = await api.changeParty(id, verb, body, crypto.randomUUID());
      this.#say("");
      this.#describe(party);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #choose(id) {
    this.#watch?.close();
    this.#forget();
    this.#commute = undefined;
    try {
      const { party } = await api.party(id);
      this.#commute = await commuteOf(party);
      modes.show("parties");
      // On a phone the card is in the sheet.
      this.#sheet.set(true);
      this.#card.hidden = false;
      this.#card.replaceChildren();
      this.#instead.replaceChildren();
      this.#log = make("ol", { id: "party-events", className: "party-events" });
      this.#log.setAttribute("aria-label", t("whatHappens"));
      this.#log.setAttribute("aria-live", "polite");
      this.#describe(party);
      this.#markers.show(this.#parties, id);
      this.#reveal();
      this.#trip.fit();
      this.#watch = api.watchParty(id, { afterVersion: 0 });
      for (const kind of partyEvents) {
        this.#watch.addEventListener(kind, (event) => this.#happened(id, JSON.parse(event.data)));
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #reread = throttle(async () => {
    if (!this.#chosen) return;
    const { party } = await api.party(this.#chosen.id).catch(() => ({}));
    if (!party || party.id !== this.#chosen?.id) return;
    this.#describe(party);
    // Somebody came or went: what was shown no longer holds.
    if (this.#asked) this.#ask(party.id, this.#asked.isSeries);
  }, 300);

  #happened(id, event) {
    if (this.#chosen?.id !== id) return;
    if (event.kind !== "shares_changed") {
      this.#log.prepend(make("li", {}, `${time(new Date(event.at))} ${eventText(event)}`));
    }
    if (event.version !== this.#chosen.version) this.#reread();
  }

  #describe(party) {
    this.#chosen = party;
    const asked = this.#asked?.id === party.id ? this.#asked : undefined;
    const offer = this.#offers.get(party.id);
    const mine = party.riders.find(({ riderId }) => riderId === this.rider);
    const ride = offer?.rider === this.rider ? offer.ride : undefined;
    const share = asked?.share ?? mine?.share;
    const shown = asked?.preview ?? {};
    this.#draw({
      party, route: shown.route ?? party.route, ride,
      boarding: shown.boarding ?? mine?.boarding,
      boardingTime: shown.boardingTime ?? mine?.boardingTime,
      price: money(share ?? party.perPersonIfFull, party.fare),
    });
    const active = party.state === "open" || party.state === "full";
    const commute = this.#commute?.state === "active" ? this.#commute : undefined;
    const isInAll = ridesAll(commute, this.rider);
    const joinText = party.approval ? "askToJoin" : commute ? "joinDay" : "join";
    const actions = [
      active && !mine && party.seatsFree > 0 && !asked
        && { id: "party-join", text: t(joinText), isPrimary: true, act: () => this.#ask(party.id) },
      commute && !isInAll && !asked && (mine || party.seatsFree > 0) && party.hostId !== this.rider
        && { id: "party-join-all", text: t("joinAll"),
          act: () => (mine ? this.#joinAll({ riderId: this.rider, maxShare: mine.share })
            .catch((error) => this.#fail(error)) : this.#ask(party.id, true)) },
      isInAll && { id: "party-leave-all", text: t("leaveAll"),
        act: () => this.#changeAll("leave").catch((error) => this.#fail(error)) },
      active && mine
        && { id: "party-leave", text: t("leave"), act: () => this.#change(party.id, "leave") },
      active && party.hostId === this.rider
        && { id: "party-cancel", text: t("cancelRide"), act: () => this.#change(party.id, "cancel") },
    ].filter(Boolean);
    fillCard(this.#card, party, {
      me: this.rider, actions, onClose: () => this.#close(), preview: asked?.element, log: this.#log,
      days: this.#commute
        ? repeats(this.#commute, party, { me: this.rider, onOpen: (id) => this.#choose(id) }) : "",
      waiting: waitingRequests(party, this.rider, (id, verb, body) =>
        this.#change(party.id, `requests/${id}/${verb}`, body)),
    });
  }

  #close() {
    this.#watch?.close();
    this.#watch = undefined;
    const was = this.#chosen;
    this.#forget();
    this.#chosen = undefined;
    this.#trip.clear();
    this.#card.hidden = true;
    if (was && this.shown) this.#markers.show(this.#parties, undefined);
  }
}
