// Orientation: a legend at any time, and three optional steps for who is here for the first time.

import { button, make } from "./elements.js";
import { t } from "./language.js";
import { modes } from "./modes.js";

const byID = (id) => document.getElementById(id);
const storageKey = "moyeo.visited";

const rows = [
  ["cluster", "legendCluster"], ["light", "legendLight"], ["single", "legendSingle"],
  ["stack", "legendStack"], ["pulse", "legendPulse"], ["heat", "legendHeat"],
  ["party", "legendParty"], ["trip", "legendTrip"],
];

const steps = [
  { title: "tourMapTitle", text: "tourMap", mode: "explore", at: "map" },
  { title: "tourSearchTitle", text: "tourSearch", mode: "explore", at: "search-section" },
  { title: "tourRidesTitle", text: "tourRides", mode: "parties", at: "parties-section" },
];

function sample(kind) {
  const drawn = make("span", { className: `sample sample-${kind}` }, kind === "cluster" ? "34" : "");
  drawn.setAttribute("aria-hidden", "true");
  if (kind === "party") {
    drawn.append("₩4,800 ", ...[1, 1, 0, 0].map((taken) =>
      make("i", { className: taken ? "pip taken" : "pip" })));
  }
  return drawn;
}

function dialog(id, title, ...content) {
  const heading = make("h2", { id: `${id}-title` }, title);
  const made = make("dialog", { id }, heading, ...content);
  made.setAttribute("aria-labelledby", heading.id);
  document.body.append(made);
  return made;
}

/** Wires the legend, and offers the steps where nobody has said no to them yet. */
export function beginHelp(sheet) {
  const list = make("ul", { className: "legend" },
    ...rows.map(([kind, text]) => make("li", {}, sample(kind), make("span", {}, t(text)))));
  const legend = dialog("legend", t("legend"), list, make("h3", {}, t("keys")),
    make("p", {}, t("keysText")),
    make("div", { className: "row" },
      button({ className: "primary", id: "legend-close" }, t("close"), () => legend.close()),
      button({ id: "tour-again" }, t("tourStart"), () => {
        legend.close();
        tour(sheet);
      })));
  byID("help-open").addEventListener("click", () => legend.showModal());
  if (visited()) return;
  const offer = byID("tour-offer");
  const answered = (act) => () => {
    offer.hidden = true;
    remember();
    act();
  };
  offer.append(make("b", {}, t("tourOffer")),
    button({ id: "tour-start" }, t("tourStart"), answered(() => tour(sheet))),
    button({ id: "tour-no" }, t("tourNo"), answered(() => byID("panel-body").focus())));
  offer.hidden = false;
}

function visited() {
  try {
    return localStorage.getItem(storageKey) !== null;
  } catch {
    return false;
  }
}

function remember() {
  try {
    localStorage.setItem(storageKey, "1");
  } catch {
    // Asked again next time, then.
  }
}

/** A small card that goes from step to step; the map stays usable beside it. */
function tour(sheet) {
  let at = 0;
  const before = modes.current;
  const title = make("h2", { id: "tour-title" });
  const text = make("p", {});
  const where = make("small", {});
  const end = () => {
    card.remove();
    document.querySelector(".toured")?.classList.remove("toured");
    modes.show(before);
    byID("panel-body").focus();
  };
  const next = button({ id: "tour-next", className: "primary" }, "", () => {
    at += 1;
    if (at === steps.length) end();
    else show();
  });
  const card = make("div", { id: "tour" }, title, text,
    make("div", { className: "row" }, where, button({ id: "tour-end" }, t("close"), end), next));
  card.setAttribute("role", "dialog");
  card.setAttribute("aria-labelledby", title.id);
  card.addEventListener("keydown", (event) => event.key === "Escape" && end());
  const show = () => {
    const step = steps[at];
    title.textContent = t(step.title);
    text.textContent = t(step.text);
    where.textContent = t("tourStep", { n: at + 1, all: steps.length });
    next.textContent = t(at + 1 === steps.length ? "tourDone" : "tourNext");
    if (!sheet.isNarrow) sheet.set(true);
    modes.show(step.mode);
    document.querySelector(".toured")?.classList.remove("toured");
    byID(step.at).classList.add("toured");
    next.focus();
  };
  document.body.append(card);
  show();
}
