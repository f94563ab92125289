// Further panels (rides, study mates) register here; each gets a tab and a section of its own.
//
//   registerPanel({ id: "parties", tab: "Rides", title: "Parties", mount(section, context) { … } })
//
// `context` is `{ map, scene, details, subject, sheet }`: the Leaflet map, the living canvas, the popups,
// a function that gives the present `{ layer, tags }`, and the panel as a whole.

import { make } from "./elements.js";
import { modes } from "./modes.js";

const panels = [];
let context;

export function registerPanel(panel) {
  panels.push(panel);
  if (context) mount(panel);
}

/** Called once, when the map stands. */
export function mountPanels(given) {
  context = given;
  panels.forEach(mount);
}

function mount({ id, tab, title, mount: fill }) {
  const host = document.getElementById("extra-panels");
  const heading = make("h2", { id: `${id}-title` }, title);
  const section = make("section", { id: `${id}-section` }, heading);
  section.setAttribute("role", "tabpanel");
  section.setAttribute("aria-labelledby", heading.id);
  host.append(section);
  host.hidden = false;
  fill(section, context);
  modes.add(id, tab);
}
