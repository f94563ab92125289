// Which language the page speaks: the one that was chosen here before, else the browser's first that
// the page knows. All texts stand in texts.js.

import { languages, reasons, texts } from "./texts.js";

const storageKey = "moyeo.language";
const known = Object.keys(languages);

function chosen() {
  const asked = new URLSearchParams(location.hash.slice(1)).get("lang");
  if (known.includes(asked)) return asked;
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return undefined;
  }
}

function preferred() {
  const ofBrowser = navigator.languages.map((one) => one.split("-")[0]);
  return [chosen(), ...ofBrowser].find((one) => known.includes(one)) ?? "en";
}

export const language = preferred();
export const otherLanguage = known.find((one) => one !== language);

/** A text by its name, with `values` for what stands in braces. */
export function t(name, values = {}) {
  const text = texts[name]?.[known.indexOf(language)];
  if (text === undefined) throw new Error(`there is no text ${name}`);
  return text.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** Whether there is such a text: names of attributes and states come from elsewhere. */
export const hasText = (name) => Object.hasOwn(texts, name);

const asSentence = (text) => {
  const trimmed = text.trim();
  if (trimmed === "") return trimmed;
  return trimmed[0].toUpperCase() + trimmed.slice(1) + (/[.!?]$/.test(trimmed) ? "" : ".");
};

/** What is said of an error or a refusal: a whole sentence, in the page's language where it has one. */
export function sentenceOf({ reason, message }) {
  if (language === "ko" && reasons[reason]) return reasons[reason];
  return asSentence(message ?? "");
}

/** Fills in the texts of a document: `data-t` content, `data-t-label`, `-title`, `-placeholder`. */
export function translate(root = document) {
  document.documentElement.lang = language;
  document.title = t("pageTitle");
  const attributes = { tLabel: "aria-label", tTitle: "title", tPlaceholder: "placeholder" };
  for (const element of root.querySelectorAll("[data-t]")) {
    element.textContent = t(element.dataset.t);
  }
  for (const [key, attribute] of Object.entries(attributes)) {
    const selector = `[data-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}]`;
    for (const element of root.querySelectorAll(selector)) {
      element.setAttribute(attribute, t(element.dataset[key]));
    }
  }
}

/** Keeps another language and begins anew in it, with the view that the address has. */
export function speak(next) {
  try {
    localStorage.setItem(storageKey, next);
  } catch {
    // Not kept then; the address says it for as long as it stands.
  }
  const fields = new URLSearchParams(location.hash.slice(1));
  fields.set("lang", next);
  history.replaceState(null, "", `#${fields.toString().replaceAll("%2C", ",")}`);
  location.reload();
}
