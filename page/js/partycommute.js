// A ride that repeats, on the card of one of its days: on which days and when, the next of them, and
// whether whoever looks rides each of them.

import { api } from "./api.js";
import { button, make } from "./elements.js";
import { language, t } from "./language.js";

const week = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];
const shownDays = 5;
const dayName = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
const dayOfYear = new Intl.DateTimeFormat(language, {
  weekday: "short", month: "short", day: "numeric", timeZone: "UTC",
});

/** The commute of which a party is a day; `undefined` where it is none, or not for who looks. */
export async function commuteOf({ commuteId }) {
  if (!commuteId) return undefined;
  const { commute } = await api.commute(commuteId).catch(() => ({}));
  return commute;
}

/** Whether somebody rides on each day as it appears. */
export const ridesAll = (commute, rider) =>
  (commute?.riders ?? []).some(({ riderId }) => riderId === rider);

function daysText(weekdays) {
  const days = week.filter((day) => weekdays.includes(day));
  if (days.length === week.length) return t("everyDay");
  if (days.join() === week.slice(0, 5).join()) return t("workdays");
  // The first of January 2024 was a Monday.
  return days.map((day) => dayName.format(Date.UTC(2024, 0, 1 + week.indexOf(day)))).join(", ");
}

function timeText({ localTime, timeZone }) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return here === timeZone ? localTime : t("timeInZone", { time: localTime, zone: timeZone });
}

/** @param onOpen takes the id of another day's party. */
export function repeats(commute, party, { me, onOpen }) {
  const ahead = commute.occurrences.filter(({ departureTime, partyId }) =>
    partyId === party.id || new Date(departureTime) > new Date()).slice(0, shownDays);
  return make("div", { id: "party-repeats" },
    make("p", {}, make("b", {}, t("repeats", {
      days: daysText(commute.weekdays), time: timeText(commute),
    })), ridesAll(commute, me) ? ` ${t("youRideAll")}` : ""),
    make("ul", { className: "party-days" }, ...ahead.map(({ date, state, partyId }) => {
      const text = dayOfYear.format(new Date(`${date}T00:00:00Z`));
      if (state === "skipped") return make("li", {}, make("s", {}, text));
      if (!partyId || partyId === party.id) {
        return make("li", {}, make(partyId ? "b" : "span", {}, text));
      }
      return make("li", {}, button({ className: "open" }, text, () => onOpen(partyId)));
    })));
}
