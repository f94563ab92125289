// The operator's calls: one function each, errors with the daemon's own message.

import { identity } from "./token.js";

const base = new URL(".", document.baseURI);

/** An answer other than 2xx, or none at all (`reason` is `unreachable`). */
export class APIError extends Error {
  constructor(reason, message) {
    super(message);
    this.name = "APIError";
    this.reason = reason;
  }
}

function address(path, query = {}) {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, value);
  }
  return url;
}

/** One segment of a path. */
function segment(id) {
  // A browser takes these two for steps in the path, however they are written.
  if (id === "." || id === "..") {
    throw new APIError(
      "bad_id", `A browser cannot ask for the id "${id}": use moyeo admin in a shell.`);
  }
  return encodeURIComponent(id.toWellFormed());
}

/** @param options `query`, `body`, `key` (an idempotency key), `isQuiet` (forbidden is no news). */
async function call(method, path, { query, body, key, isQuiet = false } = {}) {
  await identity.ready();
  const headers = { ...identity.headers };
  if (body) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  let response;
  try {
    response = await fetch(address(`v1/admin/${path}`, query), {
      method, headers, body: body && JSON.stringify(body), cache: "no-store",
      credentials: "same-origin",
    });
  } catch {
    throw new APIError("unreachable", "The daemon does not answer. Is it running?");
  }
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  const error = new APIError(
    answer?.error?.reason ?? "unknown",
    answer?.error?.message ?? `The daemon answered ${response.status}.`);
  if (!isQuiet || error.reason !== "forbidden") identity.refused(error);
  throw error;
}

/** Drawn anew for each effect that is wanted; also where a page has no `randomUUID`. */
export function idempotencyKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)),
    (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const api = {
  /** What every visitor may know: whether tokens are asked for. */
  async configuration() {
    const response = await fetch(address("page-config.json"), { credentials: "same-origin" });
    return response.json();
  },
  statistics: (tenant) => call("GET", "statistics", { query: { tenant } }),
  logLevel: () => call("GET", "log-level", { isQuiet: true }),
  setLogLevel: (level) => call("PUT", "log-level", { body: { level } }),
  drain: () => call("POST", "drain"),
  undrain: () => call("POST", "undrain"),
  snapshot: () => call("POST", "snapshot"),
  tenants: () => call("GET", "tenants", { isQuiet: true }),
  keys: (tenant) => call("GET", "keys", { query: { tenant } }),
  person: async (id, tenant, after) =>
    call("GET", `users/${segment(id)}`, { query: { tenant, after } }),
  /** `ban`, `unban`, `clear-penalty` or `erase`. */
  toPerson: async (id, verb, body, tenant, key) =>
    call("POST", `users/${segment(id)}/${verb}`, { query: { tenant }, body, key }),
  cancelParty: async (id, body, tenant, key) =>
    call("POST", `parties/${segment(id)}/cancel`, { query: { tenant }, body, key }),
  closeTicket: async (id, body, tenant, key) =>
    call("POST", `tickets/${segment(id)}/close`, { query: { tenant }, body, key }),
  closeCommute: async (id, body, tenant, key) =>
    call("POST", `commutes/${segment(id)}/close`, { query: { tenant }, body, key }),
};
