// What the panel is for now: to look around, to share rides, or to find a study mate. Tabs as ARIA has
// them: arrows go from one to the next.

const names = ["explore"];
const listeners = [];
let current = "explore";

const tab = (name) => document.getElementById(`${name}-show`);
const section = (name) => document.getElementById(`${name}-section`);

export const modes = {
  get current() { return current; },

  /** Adds a mode whose section stands in the page. */
  add(name, title) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", id: `${name}-show`, textContent: title });
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", `${name}-section`);
    document.getElementById("modes").append(button);
    names.push(name);
    wire(name);
    draw();
  },

  show(name) {
    if (current === name || !names.includes(name)) return;
    current = name;
    draw();
    for (const changed of listeners) changed(name);
  },

  /** Calls `changed(name)` after each change. */
  onChange(changed) { listeners.push(changed); },
};

function wire(name) {
  tab(name).addEventListener("click", () => modes.show(name));
  tab(name).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = names[(names.indexOf(name) + step + names.length) % names.length];
    modes.show(next);
    tab(next).focus();
  });
}

function draw() {
  for (const name of names) {
    tab(name).setAttribute("aria-selected", String(name === current));
    tab(name).tabIndex = name === current ? 0 : -1;
    section(name).hidden = name !== current;
  }
  document.body.dataset.mode = current;
}

wire("explore");
draw();
