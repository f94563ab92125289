// The daemon's HTTP interface: one function a call, errors with the daemon's own message. Where the
// daemon asks who calls, each call carries the token of `token.js`, and none is made without one.

import { EventStream } from "./eventstream.js";
import { t } from "./language.js";
import { identity } from "./token.js";

/** `document.baseURI` less its last segment, so that the page also works below a path prefix. */
const base = new URL(".", document.baseURI);

/** An answer other than 2xx, or none at all (`reason` is `unreachable`). */
export class APIError extends Error {
  constructor(status, reason, message, retryAfterMilliseconds) {
    super(message);
    this.name = "APIError";
    this.status = status;
    this.reason = reason;
    this.retryAfterMilliseconds = retryAfterMilliseconds;
  }
}

/** Absent values are left out; a list repeats its key. */
function address(path, query = {}) {
  const url = new URL(path, base);
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(key, one);
  }
  return url;
}

/** @param options of fetch, and `isPublic` for what is shown to everybody. */
async function send(path, query, { isPublic = false, headers = {}, ...options } = {}) {
  if (!isPublic) await identity.ready();
  try {
    return await fetch(address(path, query), {
      ...options, headers: { ...headers, ...(isPublic ? {} : identity.headers) },
      credentials: "same-origin",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new APIError(0, "unreachable", t("unreachable"));
  }
}

async function request(path, query, signal) {
  return answer(await send(path, query, { signal }));
}

/** The page's own files. */
async function file(path) {
  return answer(await send(path, {}, { isPublic: true }));
}

/** @param key an idempotency key: sent again with it the command has its effect once. */
async function post(path, body, key) {
  const headers = { "Content-Type": "application/json" };
  if (key) headers["Idempotency-Key"] = key;
  return answer(await send(path, {}, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** Events as they happen. The browser's own EventSource sets no headers, a token needs one. */
function watch(path, query) {
  if (identity.mode !== "tokens") return new EventSource(address(path, query));
  return new EventStream(
    address(path, query), () => identity.headers, (response) => answer(response).catch(() => {}));
}

async function answer(response) {
  const body = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return undefined;
  });
  if (response.ok && body !== undefined) return body;
  throw failure(response, body);
}

function failure(response, body) {
  const error = body?.error;
  const refusal = new APIError(
    response.status, error?.reason ?? "unknown",
    error?.message ?? t("answeredStatus", { status: response.status }), error?.retryAfterMilliseconds);
  identity.refused(refusal);
  return refusal;
}

const layerPath = (layer) => `v1/layers/${encodeURIComponent(layer)}`;
const clusterPath = (layer, id) => `${layerPath(layer)}/clusters/${encodeURIComponent(id)}`;

const ticketPath = (id) => `v1/tickets/${encodeURIComponent(id)}`;
const commutePath = (id) => `v1/commutes/${encodeURIComponent(id)}`;
const partyPath = (id) => `v1/parties/${encodeURIComponent(id)}`;

export const api = {
  layers: (signal) => request("v1/layers", {}, signal),
  clusters: (layer, query, signal) => request(`${layerPath(layer)}/clusters`, query, signal),
  expansionZoom: (layer, id) => request(`${clusterPath(layer, id)}/expansion-zoom`),
  leaves: (layer, id, query) => request(`${clusterPath(layer, id)}/leaves`, query),
  position: (layer, id) =>
    request(`${layerPath(layer)}/positions/${encodeURIComponent(id)}`),
  nearby: (layer, query, signal) => request(`${layerPath(layer)}/nearby`, query, signal),
  /** The bytes of one MVT tile. */
  async tile(layer, { zoom, x, y }, query, signal) {
    const response = await send(`${layerPath(layer)}/tiles/${zoom}/${x}/${y}.mvt`, query, { signal });
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    throw failure(response, await response.json().catch(() => undefined));
  },
  /** The bytes of one tile of roads; `undefined` where there is none. */
  async roadTile({ z, x, y }, signal) {
    const response = await send(`v1/roads/tiles/${z}/${x}/${y}.mvt`, {}, { signal });
    if (response.status === 204) return undefined;
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    throw failure(response, await response.json().catch(() => undefined));
  },
  tags: (layer, query, signal) => request(`${layerPath(layer)}/tags`, query, signal),
  /** Many questions of `nearby` at once: `{responses: [{status, body}]}`, in their order. */
  nearbyBatch: (layer, requests) => post(`${layerPath(layer)}/nearby/batch`, { requests }),
  /** Objects of a box, at most `limit`. */
  within: (layer, query) => request(`${layerPath(layer)}/within`, query),
  /** What an estimate of a fare is made of. */
  estimateFare: (body) => post("v1/fares/estimate", body),
  /** The daemon's own figures as Prometheus has them; `undefined` where they are not for the caller. */
  async metrics() {
    const response = await send("metrics", {});
    return response.ok ? response.text() : undefined;
  },
  /** What the operator configured; `{}` when the daemon has no such file. */
  pageConfig: () => file("page-config.json").catch(() => ({})),
  outline: () => file("outline.geojson"),
  searchPlaces: (query) => request("v1/places/search", query),
  reversePlaces: (query) => request("v1/places/reverse", query),
  createParty: (body, key) => post("v1/parties", body, key),
  party: (id) => request(partyPath(id)),
  searchParties: (body) => post("v1/parties/search", body),
  matchParties: (body) => post("v1/parties/match", body),
  /** What joining would mean for everyone, or `refusal`. */
  previewJoin: (id, body) => post(`${partyPath(id)}/preview`, body),
  /** `join`, `leave` or `cancel`. */
  changeParty: (id, verb, body, key) => post(`${partyPath(id)}/${verb}`, body, key),
  /** A ride that repeats, with its next days. */
  commute: (id) => request(commutePath(id), { days: 7 }),
  /** `join` or `leave`, of all its days. */
  changeCommute: (id, verb, body, key) => post(`${commutePath(id)}/${verb}`, body, key),
  watchParty: (id, query) => watch(`${partyPath(id)}/events`, query),
  events: (query) => request("v1/events", query),
  watchEvents: (query) => watch("v1/events", query),
  ticket: (id) => request(ticketPath(id)),
  openTicket: (body) => post("v1/tickets", body),
  closeTicket: async (id) => answer(await send(ticketPath(id), {}, { method: "DELETE" })),
  searchTickets: (body) => post("v1/tickets/search", body),
  /** `propose`, `withdraw`, `accept`, `decline`, `rate` or `dodge`. */
  changeTicket: (id, verb, body) => post(`${ticketPath(id)}/${verb}`, body),
  watchTicket: (id, query) => watch(`${ticketPath(id)}/events`, query),
  /** Who is in a box, moves in it and leaves it. */
  watchObjects: (layer, query) => watch(`${layerPath(layer)}/watch`, query),
  watchTiles: (layer, query) => watch(`${layerPath(layer)}/tiles/watch`, query),
};
