// One ride as a card: when and where, seats, what each pays, the way with its halts, and how the fare
// comes about. It shows; what its buttons do is its owner's affair.

import { api } from "./api.js";
import { button, make } from "./elements.js";
import { distance, duration, moment, money, person } from "./format.js";
import { sentenceOf, t } from "./language.js";
import { pips } from "./partymarkers.js";

export const placeName = (place) =>
  place.name || `${place.latitude.toFixed(4)}, ${place.longitude.toFixed(4)}`;

export const wayName = ({ origin, destination }) => `${placeName(origin)} → ${placeName(destination)}`;

/** "leaves 21:40, in 12 min" */
export function departure({ departureTime, state }) {
  const date = new Date(departureTime);
  const seconds = (date - Date.now()) / 1000;
  const isAhead = seconds > 0 && (state === "open" || state === "full");
  if (!isAhead && state !== "open" && state !== "full") return t("left", { time: moment(date) });
  return t("leaves", { time: moment(date) })
    + (isAhead ? `, ${t("leavesIn", { duration: duration(seconds) })}` : "");
}

/** What somebody is called on this page: who looks is "you". */
export const nameFor = (riderID, me) => (riderID === me ? t("you") : person(riderID));

function figure(amount, words) {
  return make("div", {}, make("b", {}, amount), make("span", {}, words));
}

function prices(party) {
  const { fare, perPersonNow, perPersonIfFull } = party;
  if (!fare) return make("p", { className: "hint" }, t("noPrice"));
  return make("div", { className: "prices" },
    figure(money(perPersonNow, fare), t("eachNow")),
    figure(money(perPersonIfFull, fare), t("eachFull")),
    figure(money(fare.expected, fare), t("fareExpected")));
}

function riders(party) {
  return make("ul", { id: "party-riders", className: "party-riders" }, ...party.riders.map((one) => {
    const notes = one.saving > 0
      ? [t("alone", { money: money(one.soloFare, party.fare) }),
        t("saves", { money: money(one.saving, party.fare) })] : [];
    return make("li", {},
      make("span", {}, person(one.riderId), make("small", {}, notes.join(" · "))),
      make("b", {}, money(one.share, party.fare)));
  }));
}

/** Who gets in and out where, with times if the taxi leaves as planned. */
function halts({ departureTime, route, riders: aboard, origin, destination }, me) {
  const at = (seconds) => moment(new Date(new Date(departureTime).getTime() + seconds * 1000));
  const rows = [[at(0), placeName(origin), t("everybodyIn")]];
  const stops = route.stops ?? [];
  const known = new Map(aboard.map((one) => [one.riderId, one]));
  const placeOf = ({ riderId, kind }) => {
    const one = known.get(riderId);
    return (kind === "board" ? one?.boarding : one?.dropOff)?.name ?? "";
  };
  const what = ({ riderId, kind }) => (riderId === me
    ? t(kind === "board" ? "youBoard" : "youAlight")
    : t(kind === "board" ? "boards" : "alights", { name: person(riderId) }));
  if (stops.length > 0) {
    rows[0][2] = "";
    for (const stop of stops) {
      rows.push([at(stop.durationSeconds ?? 0), placeOf(stop), what(stop)]);
    }
  } else {
    for (const riderId of route.stopOrder ?? []) {
      const place = known.get(riderId)?.dropOff;
      if (!place || placeName(place) === placeName(destination)) continue;
      rows.push(["", placeName(place), what({ riderId, kind: "alight" })]);
    }
  }
  rows.push([at(route.durationSeconds), placeName(destination), t("arrives")]);
  return make("ol", { className: "halts" }, ...rows.map(([time, place, note]) => make("li", {},
    make("time", {}, time), make("span", {}, place, make("small", {}, note)))));
}

/** The lines of a fare, asked for when somebody opens them. */
function fareLines({ fare, departureTime, riders: aboard }) {
  // What was agreed has no lines, nor what nobody prices.
  if (!fare?.tariffId || fare.source === "agreed") return "";
  const list = make("ul", { className: "fare-lines" });
  const details = make("details", { id: "party-fare" },
    make("summary", {}, t("fareLines")), list);
  details.addEventListener("toggle", async () => {
    if (!details.open || list.children.length > 0) return;
    try {
      const { fare: told } = await api.estimateFare({
        distanceMeters: fare.distanceMeters, durationSeconds: fare.durationSeconds,
        departureTime, tariffId: fare.tariffId, riderCount: aboard.length || 1,
      });
      list.replaceChildren(
        ...told.lines.map(({ kind, amount, quantity }) => make("li", {},
          make("span", {}, t(`line_${kind}`), make("small", {}, quantity ? `× ${quantity}` : "")),
          make("b", {}, money(amount, told)))),
        make("li", { className: "sum" }, make("span", {}, t("fareExpected"),
          make("small", {}, t("fareRange", {
            low: money(told.low, told), high: money(told.high, told),
          }))), make("b", {}, money(told.expected, told))),
        make("li", {}, make("small", {}, t("fareAt", { name: told.tariffName }))));
    } catch (error) {
      list.replaceChildren(make("li", { className: "error" }, sentenceOf(error)));
    }
  });
  return details;
}

/**
 * Fills a card.
 * @param actions `[{id, text, act, isPrimary}]` of buttons; `onClose` of the cross.
 * @param extra elements: requests that wait, a preview that waits for an answer, the days of a ride that
 *   repeats, the log of events.
 */
export function fillCard(card, party, { me, actions, onClose, preview, log, waiting = "", days = "" }) {
  const wasOpen = card.querySelector("#party-fare")?.open;
  const close = button({ id: "party-close", className: "cross" }, "×", onClose);
  close.setAttribute("aria-label", t("close"));
  const lines = fareLines(party);
  card.replaceChildren(
    make("div", { className: "card-head" }, make("h3", {}, wayName(party)), close),
    make("p", { className: "hint" },
      make("span", { className: `state state-${party.state}` }, t(`state_${party.state}`)),
      ` ${departure(party)} · ${distance(party.route.distanceMeters)}, `
      + duration(party.route.durationSeconds)),
    make("p", { className: "seats" }, pips(party),
      t("seatsFree", { free: party.seatsFree, all: party.seats }),
      party.approval ? ` · ${t("hostDecides", { n: party.pendingRequests ?? 0 })}` : ""),
    prices(party),
    days,
    waiting,
    ...(preview ? [preview] : [riders(party), halts(party, me)]),
    lines,
    make("div", { className: "row actions" }, ...actions.map(({ id, text, act, isPrimary }) =>
      button({ id, className: isPrimary ? "primary" : "" }, text, act))),
    log ?? "");
  if (wasOpen && lines) lines.open = true;
}

/**
 * What joining means for everyone, with a yes and a no.
 * @param isSeries whether all days of a ride that repeats are joined, each for no more than this one.
 */
export function previewBox(preview, { party, me, isSeries, onYes, onNo }) {
  const { now, ifFull, fare } = preview;
  const share = now.find(({ riderId }) => riderId === me).share;
  const before = new Map(party.riders.map((rider) => [rider.riderId, rider.share]));
  const full = new Map(ifFull.map((rider) => [rider.riderId, rider.share]));
  const rows = now.map((rider) => {
    const known = before.get(rider.riderId);
    const notes = [
      known === undefined || !fare ? undefined : t("now", { money: money(known, fare) }),
      full.has(rider.riderId) && fare
        ? t("ifFull", { money: money(full.get(rider.riderId), fare) }) : undefined,
      t("ride", { duration: duration(rider.rideSeconds) }),
      rider.detourSeconds < 30 ? t("noDetour")
        : t("detour", { duration: duration(rider.detourSeconds) }),
    ];
    return make("li", {},
      make("span", {}, nameFor(rider.riderId, me),
        make("small", {}, notes.filter(Boolean).join(" · "))),
      make("b", {}, money(rider.share, fare)));
  });
  const yes = button({ id: "party-confirm", className: "primary" },
    t(isSeries ? "joinAllFor" : party.approval ? "askFor" : "joinFor", {
      money: money(share, fare),
    }), onYes);
  const no = button({ id: "party-decline" }, t("notNow"), onNo);
  const box = make("div", { id: "party-preview" },
    make("p", {}, make("b", {}, t("previewMost", { money: money(share, fare) })), t("previewIf")),
    ...walkNote(preview),
    isSeries ? make("p", { className: "hint" }, t("joinAllNote")) : "",
    make("ul", { className: "party-riders" }, ...rows),
    make("div", { className: "row actions" }, yes, no));
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", t("previewGroup"));
  return { box, share };
}

function walkNote({ walkMeters = 0, boardingTime }) {
  const when = boardingTime && moment(new Date(boardingTime));
  const isWalk = walkMeters >= 1;
  if (!isWalk && !when) return [];
  const text = !isWalk ? t("youBoardAt", { time: when })
    : when ? t("youWalk", { distance: distance(walkMeters), time: when })
      : t("youWalkOnly", { distance: distance(walkMeters) });
  return [make("p", { className: "hint" }, text)];
}
