// Where from, where to, when and how far on foot: each end a place chosen by name, or the next click
// on the map.

import { make, button } from "./elements.js";
import { distance } from "./format.js";
import { sentenceOf, t } from "./language.js";
import { PlacePicker } from "./placepicker.js";
import { PlaceField, nameOf } from "./places.js";
import { placeName } from "./partycard.js";
import { identity } from "./token.js";

// Two clicks closer than this were meant for one place: no taxi drives that far.
const shortestTripMeters = 50;

export class RideForm {
  #map;
  #trip;
  #say;
  #onBegin;
  #onOffer;
  #onFind;
  #picker;
  #picks;
  #intent;
  #who = make("input", { id: "parties-rider", value: identity.subject ?? "me", autocomplete: "off" });
  #in = make("input", {
    id: "parties-minutes", type: "number", min: 1, max: 1440, value: 30, inputMode: "numeric",
  });
  #walk = make("input", {
    id: "parties-walk", type: "number", min: 0, max: 50_000, value: 500, inputMode: "numeric",
  });
  #boards = make("input", { id: "parties-boards", type: "checkbox" });
  #from = this.#field("parties-from", t("from"));
  #to = this.#field("parties-to", t("to"));
  element = make("div", { className: "ride-form" });

  /**
   * @param say shows a sentence; @param onBegin is called when somebody begins a ride.
   * @param onOffer, onFind take a ride with both ends: `{origin, destination, maxWalkMeters,
   *   departureTime, boarding?}`.
   */
  constructor(map, { trip, say, onBegin, onOffer, onFind }) {
    this.#map = map;
    this.#trip = trip;
    this.#say = say;
    this.#onBegin = onBegin;
    this.#onOffer = onOffer;
    this.#onFind = onFind;
    this.#picker = new PlacePicker(map);
    const label = (text, input) => make("label", { htmlFor: input.id }, text, input);
    const boards = make("label", { className: "check", htmlFor: this.#boards.id },
      this.#boards, make("span", {}, t("boardOnTheWay"), make("small", {}, t("boardHint"))));
    this.element.append(
      this.#from.element, this.#to.element,
      make("div", { className: "row" }, label(t("youAre"), this.#who),
        label(t("leaveIn"), this.#in), label(t("walkMost"), this.#walk)),
      boards,
      make("div", { className: "row" },
        button({ id: "parties-find", className: "primary" }, t("findRide"), () => this.#begin("find")),
        button({ id: "parties-offer" }, t("offerRide"), () => this.#begin("offer"))));
  }

  /** What Create takes of a ride. */
  static offered({ origin, destination, maxWalkMeters, departureTime }) {
    return { origin, destination, maxWalkMeters, departureTime };
  }

  /** What Match takes. */
  static sought({ origin, destination, maxWalkMeters, departureTime, boarding }) {
    return { origin, destination, maxWalkMeters, departureTime, boarding };
  }

  /** What Preview and Join take: when somebody can get in counts where they choose the place. */
  static joining({ origin, destination, maxWalkMeters, departureTime, boarding }) {
    const ride = { origin, destination, maxWalkMeters };
    return boarding ? { ...ride, boarding, departureTime } : ride;
  }

  get rider() {
    return this.#who.value.trim();
  }

  set boards(on) {
    this.#boards.checked = on;
  }

  #field(id, label) {
    return new PlaceField({
      id, label, centre: () => this.#map.getCenter().wrap(),
      // Whatever was being picked was for the places before.
      onChange: () => this.#picks && this.end(""),
    });
  }

  async #begin(intent) {
    this.#intent = intent;
    this.#onBegin();
    this.#from.forgetPicked();
    this.#to.forgetPicked();
    this.#picks = undefined;
    let ends;
    try {
      ends = [await this.#from.resolve(), await this.#to.resolve()];
    } catch (error) {
      return this.end(sentenceOf(error), true);
    }
    this.#trip.clear();
    this.#picks = ends;
    this.#picker.begin((place) => this.#picked(place), () => this.end(""));
    this.#proceed();
  }

  /** Says what is asked for, in the panel and over the map. */
  #request(text, isError = false) {
    this.#say(text, isError);
    this.#picker.ask(text);
  }

  /** Asks for the end that is missing, or goes. */
  #proceed() {
    this.#mark();
    const [origin, destination] = this.#picks;
    if (!origin) return this.#request(t("pickBegin"));
    if (!destination) return this.#request(t("pickEnd"));
    const length = this.#map.distance(
      [origin.latitude, origin.longitude], [destination.latitude, destination.longitude]);
    if (length < shortestTripMeters) return this.#refuse(length);
    this.#depart();
  }

  #refuse(length) {
    const isFixed = this.#from.place && this.#to.place;
    const text = t("tooShort", {
      least: distance(shortestTripMeters), length: distance(length),
    });
    if (isFixed) return this.end(text, true);
    // The click comes again.
    const last = this.#to.place ? 0 : 1;
    this.#picks[last] = undefined;
    this.#mark();
    this.#request(`${text} ${t(last === 0 ? "tooShortBegin" : "tooShortEnd")}`, true);
  }

  async #depart() {
    const picks = this.#picks;
    await this.#named(picks);
    // Stopped, or begun anew, while the names were asked for.
    if (this.#picks !== picks) return;
    const [origin, destination] = picks;
    const ride = {
      origin, destination, maxWalkMeters: Number(this.#walk.value) || 0,
      departureTime: new Date(Date.now() + Number(this.#in.value) * 60_000).toISOString(),
    };
    if (this.#intent === "offer") return this.#onOffer(ride);
    this.#onFind(this.#boards.checked ? { ...ride, boarding: origin } : ride);
  }

  /** Waits until both ends have their names, as far as they are known. */
  async #named(picks) {
    await Promise.all(picks.map(async (place, index) => {
      if (!place.naming) return;
      place.name = await place.naming;
      delete place.naming;
      (index === 0 ? this.#from : this.#to).show(place.name || placeName(place));
    }));
  }

  #mark() {
    this.#trip.clear();
    this.#picks.forEach((place, index) => place && this.#trip.pin(
      place, index === 0 ? "start" : "end", t(index === 0 ? "from" : "to")));
  }

  #picked({ latitude, longitude }) {
    const index = this.#picks?.findIndex((place) => place === undefined) ?? -1;
    if (index < 0) return;
    const place = { name: "", latitude, longitude };
    const field = index === 0 ? this.#from : this.#to;
    place.naming = nameOf(place);
    place.naming.then(
      (text) => this.#picks?.[index] === place && field.show(text || placeName(place)));
    this.#picks[index] = place;
    this.#proceed();
  }

  /** Picking is over; says why, or what came of it. */
  end(text, isError = false) {
    this.#picks = undefined;
    this.#picker.end();
    this.#say(text, isError);
  }

  /** Stops picking without a word. */
  stop() {
    if (this.#picks) this.end("");
  }
}
