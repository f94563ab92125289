// Numbers, distances, ages and times as short text.

const whole = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false,
});

export const count = (n) => whole.format(n);

/** "987", "1.2k", "34k", "1.2M": at most four characters, to fit a marker. */
export function abbreviate(n) {
  for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
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
  if (seconds < 1) return "just now";
  if (seconds < 60) return `${Math.round(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** Whole minutes, as a traveller counts them. */
export const duration = (seconds) => `${Math.max(1, Math.round(seconds / 60))} min`;

export const time = (date) => clock.format(date);

const winds = [
  "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
];

/** The nearest of eight compass directions. */
export const wind = (bearingDegrees) => winds[Math.round(bearingDegrees / 45) % 8];

/** One attribute's value: text as it is, anything nested as JSON. */
export const value = (v) => (typeof v === "object" && v !== null ? JSON.stringify(v) : String(v));
