// The figures of a tenant, and of the daemon, each time they are read.

import { bytes, clock, count, fillList, foreign, moment, printable, table } from "./text.js";

const byID = (id) => document.getElementById(id);

function share(part, whole) {
  return whole > 0 ? `${count(part)} (${((100 * part) / whole).toFixed(1)} %)` : count(part);
}

export class Figures {
  #earlier;

  /** Those of another tenant are no earlier ones of this. */
  forget() {
    this.#earlier = undefined;
  }

  show(seen, at) {
    const { layers, coalescing, commits } = seen;
    const rows = layers.map((layer) => [
      foreign(layer.name), count(layer.objects), bytes(layer.indexBytes),
      layer.clusters ? `${count(layer.clusterLagMilliseconds)} ms` : "no clusters",
    ]);
    byID("layers").replaceChildren(table(
      "Layers", ["Layer", "Objects", "Index", "Clusters lag"], rows,
      "There is no layer yet: one begins with its first report."));
    fillList(byID("coalescing"), [
      ["Asked", this.#rate("asked", coalescing.asked, at)],
      ["Worked out", share(coalescing.workedOut, coalescing.asked)],
      ["Joined another's", share(coalescing.joined, coalescing.asked)],
      ["Kept answers used", share(
        coalescing.keptHits, coalescing.keptHits + coalescing.keptMisses)],
      ["Tiles from memory", coalescing.tileHits === undefined ? undefined : share(
        coalescing.tileHits, coalescing.tileHits + coalescing.tileMisses)],
    ]);
    fillList(byID("commits"), commits === undefined ? [["Record", "none is kept"]] : [
      ["Commands", this.#rate("commands", commits.commands, at)],
      ["Batches", `${count(commits.batches)}, the largest of ${count(commits.largestBatch)}`],
      ["Committed", count(commits.committed)],
      ["Waiting", count(commits.waiting)],
      ["Conflicts", count(commits.conflicts)],
      ["Duplicates", count(commits.duplicates)],
      ["Refused for load", count(commits.refusedForLoad)],
      ["Past their deadline", count(commits.missedDeadlines)],
      ["Parties, tickets", `${count(seen.parties)}, ${count(seen.tickets)}`],
      ["Read-only", commits.readOnly && printable(commits.readOnly)],
    ]);
    const wires = (seen.connections ?? [])
      .map(({ listener, open }) => `${count(open)} ${listener}`).join(", ");
    byID("figures-at").textContent = `Read at ${clock(at)}.`
      + (seen.streams === undefined
        ? "" : ` Open: ${count(seen.streams)} streams, connections ${wires}.`);
    this.#earlier = { at, asked: coalescing.asked, commands: commits?.commands };
  }

  /** A number that only grows, with how fast it did since the last look. */
  #rate(name, value, at) {
    const before = this.#earlier?.[name];
    const seconds = (at - this.#earlier?.at) / 1000;
    if (before === undefined || !(seconds > 0) || value < before) return count(value);
    return `${count(value)}, ${((value - before) / seconds).toFixed(1)} a second`;
  }
}

export function showTenants(tenants, choose) {
  const rows = tenants.map((one) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.append(foreign(one.name));
    button.addEventListener("click", () => choose(one.name));
    return [button, count(one.layers), count(one.objects), count(one.parties), count(one.tickets)];
  });
  byID("tenants").replaceChildren(table(
    "Tenants", ["Tenant", "Layers", "Objects", "Parties", "Tickets"], rows, "There is none."));
  byID("tenant-list").replaceChildren(...tenants.map(({ name }) => {
    const option = document.createElement("option");
    option.value = name;
    return option;
  }));
}

export function showKeys({ keys, moreKeys }) {
  const now = Date.now();
  const rows = keys.map((key) => [
    foreign(key.id), foreign(key.name ?? ""), foreign(key.tenant), key.scopes.join(", "),
    key.expiresAt === undefined ? "holds until it is revoked"
      : `${new Date(key.expiresAt).getTime() > now ? "until" : "ended"} ${moment(key.expiresAt)}`,
  ]);
  byID("keys").replaceChildren(table(
    moreKeys ? "The newest keys; there are more" : "Keys that are not revoked",
    ["Id", "Name", "Tenant", "Scopes", "Holds"], rows, "No API key opens anything here."));
}
