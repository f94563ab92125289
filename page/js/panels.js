// Further panels (parties, tickets) register here; each gets a section under the search, and none
// shows until the first does.
//
//   registerPanel({ id: "parties", title: "Parties", mount(section, context) { … } })
//
// `context` is `{ map, details, subject }`: the Leaflet map, the popups, and a function that gives
// the present `{ layer, tags }`.

import { make } from "./details.js";

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

function mount({ id, title, mount: fill }) {
  const host = document.getElementById("extra-panels");
  const heading = make("h2", { id: `${id}-title` }, title);
  const section = make("section", { id: `${id}-section` }, heading);
  section.setAttribute("aria-labelledby", heading.id);
  host.append(section);
  host.hidden = false;
  fill(section, context);
}
