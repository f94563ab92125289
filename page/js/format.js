// Numbers, money, distances, ages and times as short text, in the page's language and the browser's
// time zone.

import { hasText, language, t } from "./language.js";

const whole = new Intl.NumberFormat(language);
const clock = new Intl.DateTimeFormat(language, {
  hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false,
});
const shortClock = new Intl.DateTimeFormat(language, {
  hour: "2-digit", minute: "2-digit", hour12: false,
});
const dayAndClock = new Intl.DateTimeFormat(language, {
  month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false,
});

export const count = (n) => whole.format(n);

const units = language === "ko"
  ? [[1e8, "억"], [1e4, "만"]] : [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

/** "987", "1.2k", "34k", "1.2M": at most four or five signs, to fit a circle. */
export function abbreviate(n) {
  for (const [unit, letter] of units) {
    // 999,950 rounds to 1M, not to 1000k.
    if (n >= unit * 0.9995 && n >= 1000) {
      const value = n / unit;
      return (value < 9.95 ? (Math.round(value * 10) / 10).toString() : Math.round(value)) + letter;
    }
  }
  return String(n);
}

export function distance(meters) {
  if (meters < 1000) return `${Math.round(meters)} m`;
  if (meters < 10_000) return `${(meters / 1000).toFixed(2)} km`;
  return `${whole.format(Math.round(meters / 1000))} km`;
}

export function age(seconds) {
  if (seconds < 1) return t("justNow");
  if (seconds < 60) return t("secondsAgo", { n: Math.round(seconds) });
  if (seconds < 3600) return t("minutesAgo", { n: Math.floor(seconds / 60) });
  if (seconds < 86_400) return t("hoursAgo", { n: Math.floor(seconds / 3600) });
  return t("daysAgo", { n: Math.floor(seconds / 86_400) });
}

/** Whole minutes, as a traveller counts them. */
export function duration(seconds) {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 100) return t("minutesLong", { n: minutes });
  return t("hoursLong", { h: Math.floor(minutes / 60), n: minutes % 60 });
}

export const time = (date) => clock.format(date);

/** Hours and minutes; with the day when it is another than today. */
export function moment(date) {
  const isToday = date.toDateString() === new Date().toDateString();
  return (isToday ? shortClock : dayAndClock).format(date);
}

const digitsOf = (currency) =>
  new Intl.NumberFormat(language, { style: "currency", currency }).resolvedOptions()
    .maximumFractionDigits;

/**
 * An amount of minor units, as `{currency, minorUnitDigits}` of a fare has them; of a ride without a
 * price, that there is none.
 */
export function money(amount, fare) {
  if (amount === undefined || !fare) return t("noPrice");
  const { currency, minorUnitDigits = digitsOf(currency) } = fare;
  return new Intl.NumberFormat(language, {
    style: "currency", currency, currencyDisplay: "narrowSymbol",
    minimumFractionDigits: minorUnitDigits, maximumFractionDigits: minorUnitDigits,
  }).format(amount / 10 ** minorUnitDigits);
}

/** The nearest of eight compass directions. */
export const wind = (bearingDegrees) => t("winds").split(",")[Math.round(bearingDegrees / 45) % 8];

/**
 * What a person is called: ids are the names that the caller chose. Numbered ones, as simulations
 * and databases have them, are told by their number alone.
 */
export function person(id) {
  const numbered = /^(?:.*[-_:])?(?:user|rider|member|person)[-_:]?0*(\d+)$/i.exec(id);
  return numbered ? t("person", { n: whole.format(Number(numbered[1])) }) : id;
}

const looksLikeTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
/** Seconds and milliseconds since 1970 of this century, under a name that speaks of time. */
const timeName = /(time|departure|arrival|_at|date|expires|since|until)/i;

function momentOf(name, v) {
  if (typeof v === "string" && looksLikeTime.test(v)) return moment(new Date(v));
  if (typeof v !== "number" || !timeName.test(name)) return undefined;
  if (v > 9e8 && v < 5e9) return moment(new Date(v * 1000));
  if (v > 9e11 && v < 5e12) return moment(new Date(v));
  return undefined;
}

/** Names that say the same as another, or are for machines. */
const hidden = new Set(["currency", "departure", "earliest_departure", "version", "minorUnitDigits"]);
const moneyNames = /(fare|price|share|amount|cost)/;

/** An object's attributes as people read them: `[[name, text]]`. */
export function attributeRows(attributes = {}) {
  const rows = [];
  for (const name of Object.keys(attributes).sort()) {
    const v = attributes[name];
    const isPlace = /(latitude|longitude)$/.test(name);
    if (hidden.has(name) || isPlace || v === null || v === "") continue;
    rows.push([attributeName(name), attributeText(name, v, attributes)]);
  }
  return rows;
}

/** What an attribute is called: known ones in the page's language, others without underscores. */
export const attributeName = (name) =>
  hasText(`attr_${name}`) ? t(`attr_${name}`) : name.replaceAll("_", " ");

export function attributeText(name, v, { currency } = {}) {
  if (typeof v === "boolean") return t(v ? "yes" : "no");
  const when = momentOf(name, v);
  if (when) return when;
  if (typeof v === "number") {
    if (currency && moneyNames.test(name)) return money(v, { currency });
    return Number.isInteger(v) ? whole.format(v) : String(Math.round(v * 1000) / 1000);
  }
  if (Array.isArray(v)) return v.map((one) => attributeText(name, one)).join(", ");
  if (typeof v === "object") {
    return Object.entries(v)
      .map(([key, one]) => `${attributeName(key)}: ${attributeText(key, one)}`).join(", ");
  }
  if (name === "state" && hasText(`state_${v}`)) return t(`state_${v}`);
  return /^[a-z]+$/.test(v) && hasText(`attr_${v}`) ? t(`attr_${v}`) : v;
}
