// The operator's page: figures refreshed while somebody looks, and what an operator may do.

import { api } from "./api.js";
import { Figures, showKeys, showTenants } from "./figures.js";
import { Person } from "./person.js";
import { make, printable } from "./text.js";
import { identity } from "./token.js";

const byID = (id) => document.getElementById(id);
const figuresMilliseconds = 2000;
const listsMilliseconds = 10_000;
const levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"];

const figures = new Figures();
const tenant = () => byID("tenant").value.trim();
const person = new Person(tenant);
let isDraining = false;
/** What tests wait for. */
const moyeo = (window.moyeo = { readings: 0, lists: 0 });

function problem(text) {
  byID("problem").textContent = printable(text ?? "");
  byID("problem").hidden = !text;
}

function daemonSays(text, isError = false) {
  byID("daemon-message").textContent = printable(text);
  byID("daemon-message").classList.toggle("error", isError);
}

/** Only operators of the default tenant run the daemon. */
function mayRunDaemon(may) {
  byID("daemon-section").hidden = !may;
  byID("tenants-section").hidden = !may;
  byID("tenant").closest("label").hidden = !may;
}

function showState({ draining, ready }) {
  mayRunDaemon(draining !== undefined);
  if (draining === undefined) return;
  isDraining = draining;
  byID("daemon-state").textContent = draining
    ? "It is draining: /readyz says no, and what comes all the same is served."
    : ready ? "It is ready and takes new work." : "It is starting.";
  byID("drain").textContent = draining ? "Take new work again" : "Drain";
  byID("drain").disabled = false;
}

async function readFigures() {
  const asked = tenant();
  const seen = await api.statistics(asked);
  if (asked !== tenant()) return;
  figures.show(seen, new Date());
  showState(seen);
  problem(undefined);
  moyeo.readings += 1;
}

async function readLists() {
  const asked = tenant();
  const keys = await api.keys(asked);
  if (asked !== tenant()) return;
  showKeys(keys);
  if (!byID("daemon-section").hidden) {
    try {
      showTenants((await api.tenants()).tenants, choose);
      const { level } = await api.logLevel();
      if (document.activeElement !== byID("log-level")) byID("log-level").value = level;
      byID("log-level").disabled = false;
    } catch (error) {
      if (error.reason !== "forbidden") throw error;
      mayRunDaemon(false);
    }
  }
  moyeo.lists += 1;
}

/** Reads again and again while the page is in sight; the next time after the last answer. */
function repeatedly(read, milliseconds) {
  const step = async () => {
    if (!document.hidden) {
      try {
        await read();
      } catch (error) {
        // What is wrong with the token is said where it can be changed.
        problem(identity.mayAsk ? error.message : undefined);
      }
    }
    setTimeout(step, milliseconds);
  };
  return step();
}

function choose(name) {
  byID("tenant").value = name;
  figures.forget();
  person.clear();
  for (const read of [readFigures, readLists]) read().catch((error) => problem(error.message));
}

async function act(button, work, done) {
  button.disabled = true;
  try {
    daemonSays(done(await work()));
    await readFigures();
  } catch (error) {
    daemonSays(error.message, true);
  }
  button.disabled = false;
}

byID("tenant").addEventListener("change", () => choose(tenant()));
byID("drain").addEventListener("click", (event) => act(
  event.currentTarget, isDraining ? api.undrain : api.drain,
  ({ draining }) => (draining ? "No new work is sent here." : "New work is taken again.")));
byID("snapshot").addEventListener("click", (event) => act(
  event.currentTarget, api.snapshot,
  ({ written, tenants }) => `${written} positions of ${tenants} tenants were written.`));
byID("log-level").append(...levels.map((level) => make("option", { value: level }, level)));
// Which one it is has yet to be read.
byID("log-level").selectedIndex = -1;
byID("log-level").addEventListener("change", (event) => act(
  event.currentTarget, () => api.setLogLevel(byID("log-level").value),
  ({ level }) => `Lines are logged from ${level} on, until the next start.`));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byID("main").focus();
});

try {
  identity.begin(byID("auth-mode"), (await api.configuration()).authMode);
  await repeatedly(readFigures, figuresMilliseconds);
  repeatedly(readLists, listsMilliseconds);
} catch {
  problem("The daemon does not answer. Is it running?");
}
