// Elements and words. What people chose (ids, tags, reasons) becomes text and nothing else, and shows
// the characters that would otherwise hide or turn others around.

/** An element with text or children; `undefined` children are left out. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

const hiding = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** A text of somebody's choice: characters that nobody sees stand there as their numbers. */
export function printable(text) {
  return String(text).replace(
    hiding, (one) => `\\u{${one.codePointAt(0).toString(16).padStart(4, "0")}}`);
}

/** The same, apart from the text around it, whichever way it runs. */
export const foreign = (text) => make("bdi", {}, printable(text));

export const count = (number) => new Intl.NumberFormat("en").format(number ?? 0);

export function bytes(number) {
  const steps = ["B", "KB", "MB", "GB", "TB"];
  let step = 0;
  let rest = number;
  for (; rest >= 1000 && step < steps.length - 1; step++) rest /= 1000;
  return `${step === 0 ? rest : rest.toFixed(1)} ${steps[step]}`;
}

export const clock = (date) => date.toLocaleTimeString("en", { hour12: false });

/** A moment of the daemon, with its zone; what is no moment stays as it is. */
export function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? printable(text)
    : date.toLocaleString("en", { dateStyle: "medium", timeStyle: "medium", hour12: false });
}

/** Terms and their texts, in place of what a `dl` held. */
export function fillList(list, rows) {
  list.replaceChildren(
    ...rows.filter((row) => row[1] !== undefined)
      .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

/** A table with a heading a column; `none` is said where there is no row. */
export function table(caption, heads, rows, none) {
  if (rows.length === 0) return make("p", { className: "hint" }, none);
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  return make("table", {},
    make("caption", {}, caption), make("thead", {}, head),
    make("tbody", {}, ...rows.map((cells) =>
      make("tr", {}, ...cells.map((cell) => make("td", {}, cell))))));
}
