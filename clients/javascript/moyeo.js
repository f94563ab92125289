// The client of Moyeo for browsers and Node 18: one module without dependencies, served by the
// daemon at /moyeo.js. docs/clients.md says how to use it.

/**
 * @typedef {object} Options
 * @property {string | (() => string | Promise<string>)} [token] A token or API key, or a function
 *   that gets one; it is asked again when the service says that its token has expired.
 * @property {number} [timeout] Milliseconds of a whole call, its retries included; 15,000.
 * @property {number} [attempts] Of one call, the first included; 5. 1: never again.
 * @property {number} [base] Milliseconds that the first wait is at most; each further one doubles it.
 * @property {number} [longest] Milliseconds that no wait exceeds, unless the service asks for more.
 * @property {number} [attemptTimeout] Milliseconds of one attempt; 7,000: the daemon's own deadline
 *   is 5,000, so that its refusal is heard.
 * @property {number} [quiet] Milliseconds after which a silent stream is taken for dead; 45,000.
 * @property {Record<string, string>} [headers] Sent with each call.
 * @property {typeof globalThis.fetch} [fetch]
 * @property {(milliseconds: number) => Promise<void>} [sleep]
 * @property {() => number} [now] Milliseconds; only differences count.
 * @property {() => number} [random] From 0 to 1.
 */

/**
 * @typedef {object} CallOptions
 * @property {number} [timeout] Milliseconds, instead of the client's.
 * @property {AbortSignal} [signal] Gives the call up: it rejects with the signal's reason.
 * @property {string} [idempotencyKey] Of a command; without one the client makes its own.
 * @property {Record<string, string>} [headers] Beside the client's.
 */

/** @typedef {{ signal?: AbortSignal, idempotencyKey?: string }} StreamOptions */
/** @typedef {{ field: string, reason: string, message: string }} FieldViolation */
/**
 * What happens when a call is sent again although its first answer was lost: nothing; the same state
 * is set again; its key answers what was answered first; it would take effect again.
 * @typedef {"read" | "set" | "keyed" | "once"} Effect
 */
/**
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path Path parameters stand in braces.
 * @property {Effect} effect
 * @property {boolean} [durable] Of a stream: its events are numbered and kept.
 */

/** Any failure of a call; its message is a sentence. */
export class MoyeoError extends Error {
  /** One word for one cause, e.g. `unknown_layer`; empty when the service did not answer. */
  reason = "";
  /** @type {number | undefined} Milliseconds to wait before the next try, when the service says so. */
  retryAfter = undefined;

  /** @param {string} message @param {unknown} [cause] */
  constructor(message, cause) {
    super(message, { cause });
    this.name = new.target.name;
  }
}

/** Nobody answers there, or the connection broke before the answer. */
export class Unreachable extends MoyeoError {
  /** @param {string} address @param {unknown} cause @param {boolean} sent Whether the request may
   *   have arrived, so that its effect is unknown. */
  constructor(address, cause, sent = true) {
    /** @type {any} */
    const error = cause;
    const why = error?.cause?.code ?? error?.cause?.message ?? error?.message;
    super(`Nobody answers at ${address}: ${why || "the connection broke"}.`, cause);
    this.sent = sent;
  }
}

/** No answer within the time that the caller gave. */
export class TimedOut extends MoyeoError {}

/** Something answered, but not as Moyeo does. */
export class UnexpectedAnswer extends MoyeoError {}

/** The service refused the call and says why. */
export class Refused extends MoyeoError {
  /**
   * @param {number} status
   * @param {string} text The body.
   * @param {string | null} [retryAfter] The header.
   */
  constructor(status, text, retryAfter) {
    /** @type {any} */
    let said;
    try {
      said = JSON.parse(text);
    } catch {
      said = undefined;
    }
    const error = said?.error ?? {};
    /** @type {FieldViolation[]} */
    const fields = error.fields ?? [];
    let message = error.message ?? `The service answered HTTP status ${status}.`;
    for (const field of fields) {
      if (fields.length > 1 || field.message !== error.message) {
        message += `\n  ${field.field}: ${field.message} (${field.reason})`;
      }
    }
    super(message);
    /** HTTP status; 200 for a refusal that ends a stream. */
    this.status = status;
    /** Name of the gRPC status, e.g. INVALID_ARGUMENT; empty of a proxy. @type {string} */
    this.code = error.code ?? "";
    this.reason = error.reason ?? "";
    this.fields = fields;
    /** Figures of the refusal, for programs. @type {Record<string, string>} */
    this.metadata = error.metadata ?? {};
    /** Of a Report of which every item was refused. @type {Rejection[]} */
    this.rejections = said?.rejections ?? [];
    this.retryAfter = error.retryAfterMilliseconds ?? milliseconds(retryAfter);
  }
}

/**
 * Of a Retry-After header: seconds, or a date.
 * @param {string | null | undefined} header
 */
function milliseconds(header) {
  if (!header) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

const LATER = new Set(["overloaded", "unavailable", "rate_limited", "read_only"]);
/** Only after the time that the service gives. */
const LATER_IF_TOLD = new Set(["quota_exceeded", "too_slow_consumer"]);
const RENEWABLE = new Set(["token_expired", "unauthenticated"]);

/**
 * Whether the same call, sent again, may succeed and has its effect at most once.
 * @param {unknown} error @param {Effect} effect
 */
export function isRetryable(error, effect = "read") {
  const again = effect !== "once";
  if (error instanceof Unreachable) return again || !error.sent;
  if (error instanceof TimedOut) return again;
  if (!(error instanceof Refused)) return false;
  if (error.reason) {
    return LATER.has(error.reason)
      || (LATER_IF_TOLD.has(error.reason) && error.retryAfter !== undefined)
      || (error.reason === "deadline_exceeded" && again);
  }
  // Answers of proxies, which give no reason.
  return [429, 503].includes(error.status) || ([502, 504].includes(error.status) && again);
}

/** Server-sent events out of text (WHATWG HTML, section 9.2). */
export class EventReader {
  #rest = "";
  #kind = "";
  /** @type {string[]} */
  #data = [];
  /** @type {string | undefined} */
  #id = undefined;

  /**
   * The events that a piece of text completes.
   * @param {string} piece
   */
  take(piece) {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() ?? "";
    const found = [];
    for (let line of lines) {
      if (line.endsWith("\r")) line = line.slice(0, -1);
      if (line === "") {
        if (this.#data.length) {
          found.push({ kind: this.#kind, data: this.#data.join("\n"), id: this.#id });
        }
        this.#kind = "";
        this.#data = [];
        this.#id = undefined;
        continue;
      }
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "event") this.#kind = value;
      else if (name === "data") this.#data.push(value);
      else if (name === "id") this.#id = value;
    }
    return found;
  }
}

/** Makes calls with retries, deadlines and tokens. */
class Caller {
  /** @type {string | undefined} */
  #token = undefined;
  /** @type {Promise<string> | undefined} */
  #renewing = undefined;

  /** @param {string} address @param {Options} options */
  constructor(address, options) {
    // "" is where the page came from.
    if (address !== "" && !/^https?:\/\/[^/?#]+[^?#]*$/.test(address)) {
      throw new TypeError(
        `${address} is not an address of Moyeo: expected something like http://127.0.0.1:8080`);
    }
    this.address = address.replace(/\/+$/, "");
    /** @type {Required<Omit<Options, "token">> & Pick<Options, "token">} */
    this.options = {
      timeout: 15_000, attempts: 5, base: 100, longest: 5000, attemptTimeout: 7000, quiet: 45_000,
      headers: {}, fetch: (...given) => globalThis.fetch(...given),
      sleep: (wait) => new Promise((done) => setTimeout(done, wait)),
      now: () => performance.now(), random: Math.random, ...options,
    };
  }

  /**
   * The token to send; asks for one when there is none, or when it is the refused one. Many calls
   * share one renewal.
   * @param {string} [refused]
   * @returns {Promise<string | undefined>}
   */
  async token(refused) {
    const source = this.options.token;
    if (typeof source !== "function") return source;
    if (this.#token !== undefined && this.#token !== refused) return this.#token;
    this.#renewing ??= Promise.resolve().then(source).finally(() => { this.#renewing = undefined; });
    return this.#token = await this.#renewing;
  }

  /** The one in hand: of addresses, which cannot wait. */
  get tokenInHand() {
    return typeof this.options.token === "function" ? this.#token : this.options.token;
  }

  /** @param {unknown} error */
  renews(error) {
    return error instanceof Refused && RENEWABLE.has(error.reason)
      && typeof this.options.token === "function";
  }

  /**
   * Full jitter, beside what the service asked for.
   * @param {unknown} error @param {number} failures
   */
  waitAfter(error, failures) {
    const { base, longest, random } = this.options;
    const asked = error instanceof MoyeoError ? error.retryAfter ?? 0 : 0;
    return asked + random() * Math.min(longest, base * 2 ** Math.min(failures - 1, 30));
  }

  /**
   * One answer, the key of a command made once and kept over its attempts.
   * @param {Call} call @param {any} values @param {CallOptions} [given]
   * @returns {Promise<Response>}
   */
  async send(call, values, given = {}) {
    const { attempts, attemptTimeout, now, sleep } = this.options;
    const patience = 1000 * (values?.waitSeconds ?? 0);
    const deadline = now() + (given.timeout ?? this.options.timeout + patience);
    const key = given.idempotencyKey ?? (call.effect === "keyed" ? uuid() : undefined);
    let token = await this.token();
    let renewed = false;
    for (let failures = 1; ; failures++) {
      try {
        const limit = Math.min(attemptTimeout + patience, Math.max(1, deadline - now()));
        return await this.#attempt(call, values, { ...given, idempotencyKey: key }, token, limit);
      } catch (error) {
        if (!renewed && this.renews(error)) {
          token = await this.token(token);
          renewed = true;
          failures--;
          continue;
        }
        if (failures >= attempts || !isRetryable(error, call.effect)) throw error;
        const wait = this.waitAfter(error, failures);
        // An attempt that could only come too late is not waited for.
        if (now() + wait >= deadline) throw error;
        await sleep(wait);
        given.signal?.throwIfAborted();
      }
    }
  }

  /**
   * @param {Call} call @param {any} values @param {CallOptions} given
   * @param {string | undefined} token @param {number} limit Milliseconds.
   */
  async #attempt(call, values, given, token, limit) {
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(TIME_OUT), limit);
    try {
      const response = await this.fetch(call, values, given, token, giveUp);
      // What is read here counts against the limit; the copy is read by the caller at leisure.
      const body = response.status === 304 ? null : await response.arrayBuffer();
      if (!response.ok && response.status !== 304) {
        throw new Refused(response.status, new TextDecoder().decode(body ?? new ArrayBuffer(0)),
          response.headers.get("retry-after"));
      }
      const whole = body?.byteLength ? body : null;
      return new Response(whole, { status: response.status, headers: response.headers });
    } catch (error) {
      throw this.translated(error, given.signal, giveUp.signal);
    } finally {
      clearTimeout(timer);
      // All has been read; the caller's signal is listened to no longer.
      giveUp.abort();
    }
  }

  /**
   * One request, which ends with the caller's signal or with `giveUp`.
   * @param {Call} call @param {any} values @param {CallOptions} given
   * @param {string | undefined} token @param {AbortController} giveUp
   */
  async fetch(call, values, given, token, giveUp) {
    given.signal?.throwIfAborted();
    const forward = () => giveUp.abort(given.signal?.reason);
    given.signal?.addEventListener("abort", forward, { signal: giveUp.signal });
    const { path, body } = written(call, values);
    /** @type {Record<string, string>} */
    const headers = { ...this.options.headers, ...given.headers };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (token) headers.authorization = `Bearer ${token}`;
    if (given.idempotencyKey) headers["idempotency-key"] = given.idempotencyKey;
    return this.options.fetch(this.address + path, {
      method: call.method, headers, body, signal: giveUp.signal, redirect: "error",
    });
  }

  /** @param {unknown} error @param {AbortSignal | undefined} asked @param {AbortSignal} own */
  translated(error, asked, own) {
    if (asked?.aborted) return asked.reason;
    if (own.aborted && own.reason === TIME_OUT) {
      return new TimedOut(`${this.address || "The service"} gave no answer in time.`, error);
    }
    if (error instanceof MoyeoError) return error;
    // Browsers do not say why a fetch failed; Node does.
    const code = /** @type {any} */ (error)?.cause?.code;
    const sent = !["ECONNREFUSED", "ENOTFOUND", "UND_ERR_CONNECT_TIMEOUT"].includes(code);
    return new Unreachable(this.address || "this page's address", error, sent);
  }

  /** @param {Call} call @param {any} values @param {CallOptions} [given] @returns {Promise<any>} */
  async unary(call, values, given) {
    const response = await this.send(call, values, given);
    try {
      return await response.json();
    } catch (error) {
      throw new UnexpectedAnswer(`${call.path} answered what is no JSON.`, error);
    }
  }

  /**
   * @param {Call} call @param {any} values @param {CallOptions} [given]
   * @returns {Promise<GetTileResponse>} With `tile` as bytes.
   */
  async tile(call, values, given) {
    const { format, ifNoneMatch, ...rest } = values;
    /** @type {Record<string, string>} */
    const headers = { ...given?.headers, ...(ifNoneMatch && { "if-none-match": ifNoneMatch }) };
    const path = call.path.replace(".mvt", format === "json" ? ".json" : ".mvt");
    const response = await this.send({ ...call, path }, rest, { ...given, headers });
    const lag = response.headers.get("x-moyeo-lag-milliseconds");
    return {
      tile: new Uint8Array(await response.arrayBuffer()),
      contentType: response.headers.get("content-type") ?? undefined,
      etag: response.headers.get("etag") ?? undefined,
      notModified: response.status === 304,
      version: response.headers.get("x-moyeo-version") ?? undefined,
      lagMilliseconds: lag === null ? undefined : Number(lag),
      truncated: response.headers.get("x-moyeo-truncated") === "true",
    };
  }

  /** @param {Call} call @param {any} values @param {StreamOptions} [given] @returns {Stream<any>} */
  stream(call, values, given = {}) {
    return new Stream(this, call, values, given);
  }
}

const TIME_OUT = Symbol("no answer in time");

function uuid() {
  if (globalThis.crypto?.randomUUID) return globalThis.crypto.randomUUID();
  // Pages that are not secure, and Node 18, lack it.
  return Array.from({ length: 4 }, () =>
    Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, "0")).join("");
}

/**
 * A request as its route: what stands in the path, then a query or a body.
 * @param {Call} call @param {any} values
 */
function written(call, values) {
  const rest = Object.fromEntries(
    Object.entries(values ?? {}).filter(([, value]) => value !== undefined && value !== null));
  let path = call.path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = rest[name] ?? "";
    delete rest[name];
    return encodeURIComponent(value);
  });
  if (call.method === "POST") return { path, body: JSON.stringify(rest) };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    const many = Array.isArray(value) && !value.some((one) => one !== null && typeof one === "object");
    for (const one of many ? value : [value]) query.append(name, text(one));
  }
  if (`${query}`) path += `?${query}`;
  return { path, body: undefined };
}

/** @param {any} value */
function text(value) {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Events as they come: `for await (const event of stream)`; `break` or `close()` ends it.
 *
 * A cut connection and a restart of the daemon are not seen: the stream is opened again, durable ones
 * after the last event that was handed out, the others by token or with a new snapshot. It throws what
 * ends it for good.
 * @template Event
 * @implements {AsyncIterable<Event>}
 */
export class Stream {
  #caller;
  #call;
  #values;
  #key;
  #end = new AbortController();
  #began = Date.now();
  /** Of the last event; give it as `resumeToken` to go on after it. @type {string | undefined} */
  resumeToken;

  /** @param {Caller} caller @param {Call} call @param {any} values @param {StreamOptions} given */
  constructor(caller, call, values, given) {
    this.#caller = caller;
    this.#call = call;
    const { resumeToken, ...rest } = values ?? {};
    this.#values = rest;
    this.#key = given.idempotencyKey ?? (rest.store ? uuid() : undefined);
    this.resumeToken = resumeToken;
    given.signal?.addEventListener("abort", () => this.close(), { signal: this.#end.signal });
    if (given.signal?.aborted) this.close();
  }

  /** Ends the stream; a loop that waits for an event ends. */
  close() {
    this.#end.abort();
  }

  /** @returns {AsyncGenerator<Event>} */
  async *[Symbol.asyncIterator]() {
    const caller = this.#caller;
    try {
      if (this.#end.signal.aborted) return;
      await this.#begin();
      let token = await caller.token();
      let [failures, wasOpen, renewed, last] = [0, false, false, 0];
      while (!this.#end.signal.aborted) {
        /** @type {unknown} */
        let error;
        try {
          for await (const event of this.#open(token, () => { wasOpen = true; })) {
            [failures, renewed] = [0, false];
            if (event.kind === "heartbeat") continue;
            if (this.#call.durable && event.sequence) {
              if (event.sequence <= last) continue;
              last = event.sequence;
            }
            yield event;
          }
          if (this.#isOver()) return;
          error = new Unreachable(caller.address, new Error("the stream ended"));
        } catch (caught) {
          error = caught;
        }
        if (this.#end.signal.aborted) return;
        if (!renewed && caller.renews(error)) {
          token = await caller.token(token);
          renewed = true;
          continue;
        }
        const returns = error instanceof Refused && error.reason === "too_slow_consumer";
        failures++;
        if (!returns && !isRetryable(error)) throw error;
        if (!wasOpen && failures >= caller.options.attempts) throw error;
        await caller.options.sleep(caller.waitAfter(error, failures));
        token = await caller.token();
      }
    } finally {
      this.#end.abort();
    }
  }

  /**
   * A party or ticket is heard from the version it has now, so that nothing is missed when the first
   * opening is cut before its first event.
   */
  async #begin() {
    const { path } = this.#call;
    if (!path.endsWith("/events") || path === "/v1/events" || this.resumeToken
      || this.#values.afterVersion) return;
    /** @type {Call} */
    const read = { method: "GET", path: path.slice(0, -"/events".length), effect: "read" };
    const answer = await this.#caller.unary(read, this.#values, { signal: this.#end.signal });
    this.#values.afterVersion = (answer.party ?? answer.ticket).version;
  }

  /**
   * Matches end with the rider's window; an end like that of any other stream is a shutdown's.
   */
  #isOver() {
    if (!this.#call.path.endsWith("/match/watch")) return false;
    const { departureTime, departureWindowSeconds = 600 } = this.#values;
    const departure = departureTime ? new Date(departureTime).getTime() : this.#began;
    return Date.now() >= departure + 1000 * departureWindowSeconds;
  }

  /** @param {string | undefined} token @param {() => void} opened @returns {AsyncGenerator<any>} */
  async *#open(token, opened) {
    const caller = this.#caller;
    const giveUp = new AbortController();
    /** @type {Record<string, string>} */
    const headers = { accept: "text/event-stream" };
    if (this.resumeToken) headers["last-event-id"] = this.resumeToken;
    const quiet = () => setTimeout(() => giveUp.abort(TIME_OUT), caller.options.quiet);
    let timer = quiet();
    try {
      const response = await caller.fetch(
        this.#call, this.#values, { signal: this.#end.signal, idempotencyKey: this.#key, headers },
        token, giveUp);
      if (!response.ok || !response.body) {
        throw new Refused(
          response.status, await response.text(), response.headers.get("retry-after"));
      }
      opened();
      const [bytes, decoder, reader] =
        [response.body.getReader(), new TextDecoder(), new EventReader()];
      for (;;) {
        const { done, value } = await bytes.read();
        clearTimeout(timer);
        if (done) return;
        timer = quiet();
        for (const event of reader.take(decoder.decode(value, { stream: true }))) {
          if (event.kind === "error") throw new Refused(200, event.data);
          const message = JSON.parse(event.data);
          // Before the event is handed out: who breaks off there goes on after it.
          if (event.id !== undefined) this.resumeToken = event.id;
          yield message;
        }
      }
    } catch (error) {
      throw caller.translated(error, this.#end.signal, giveUp.signal);
    } finally {
      clearTimeout(timer);
      giveUp.abort();
    }
  }
}

/**
 * The clusters of what a map shows, asked for when it comes to rest: moves in quick succession make
 * one request, and one that is outdated is given up.
 */
export class ViewportClusters {
  #moyeo;
  #given;
  #session = uuid();
  #sequence = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;
  /** @type {AbortController | undefined} */
  #asking = undefined;
  /** @type {Stream<WatchTilesEvent> | undefined} */
  #watch = undefined;

  /**
   * @param {Moyeo} moyeo
   * @param {object} given
   * @param {Omit<GetClustersRequest, "west" | "south" | "east" | "north" | "zoom">} given.query The
   *   layer, and what else narrows the clusters.
   * @param {(clusters: Cluster[], answer: GetClustersResponse) => void} given.onClusters
   * @param {(error: unknown) => void} [given.onError]
   * @param {number} [given.delay] Milliseconds of rest before a request; 150.
   * @param {boolean} [given.live] Asks again when something in view has changed, at most once a second.
   */
  constructor(moyeo, given) {
    this.#moyeo = moyeo;
    this.#given = given;
  }

  /**
   * Call it whenever the map moves or comes to rest.
   * @param {{ west: number, south: number, east: number, north: number, zoom?: number,
   *   metersPerPixel?: number }} view With `zoom`, of tiles of 256 pixels, or `metersPerPixel`.
   */
  show(view) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(view, true), this.#given.delay ?? 150);
  }

  /** Gives up what is under way, and watches no more. */
  stop() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#watch?.close();
  }

  /** @param {any} view @param {boolean} isNew */
  async #ask(view, isNew) {
    this.#asking?.abort();
    const asking = this.#asking = new AbortController();
    if (isNew) this.#watch?.close();
    try {
      const answer = await this.#moyeo.clusters.getClusters({ ...this.#given.query, ...view }, {
        signal: asking.signal,
        headers: {
          "x-moyeo-session": this.#session, "x-moyeo-sequence": String(++this.#sequence),
        },
      });
      if (asking !== this.#asking) return;
      this.#given.onClusters(answer.clusters ?? [], answer);
      // Whoever drew them may have stopped it.
      if (isNew && this.#given.live && !asking.signal.aborted) {
        this.#follow(view, answer.version);
      }
    } catch (error) {
      const isOutdated = asking.signal.aborted
        || (error instanceof Refused && error.reason === "superseded");
      if (!isOutdated) this.#given.onError?.(error);
    }
  }

  /** @param {any} view @param {string | undefined} version Of the clusters that were answered. */
  async #follow(view, version) {
    const { layer } = this.#given.query;
    const { west, south, east, north } = view;
    // Meters of a pixel at zoom 0 on the equator, of tiles of 256 pixels.
    const width = 156_543.034 * Math.cos((south + north) * Math.PI / 360);
    const zoom = view.zoom ?? Math.log2(width / view.metersPerPixel);
    const watch = this.#watch = this.#moyeo.clusters.watchTiles(
      { layer, west, south, east, north, zoom: Math.max(0, Math.min(22, Math.floor(zoom))),
        intervalMilliseconds: 1000, resumeToken: version });
    try {
      // From the version on that is shown, a change or a reset: ask again either way.
      for await (const _ of watch) await this.#ask(view, false);
    } catch (error) {
      if (this.#watch === watch) this.#given.onError?.(error);
    }
  }
}

/**
 * A client of a Moyeo daemon.
 *
 *     const moyeo = new Moyeo("http://127.0.0.1:8080");
 *     const { hits } = await moyeo.positions.nearby({ layer: "users", latitude: 37.5663, longitude: 126.9779 });
 */
export class Moyeo {
  #caller;

  /** @param {string} [address] Where the daemon is; without one where the page came from.
   * @param {Options} [options] */
  constructor(address = "", options = {}) {
    const caller = this.#caller = new Caller(address, options);
    this.positions = new PositionCalls(caller);
    this.clusters = new ClusterCalls(caller);
    this.parties = new PartyCalls(caller);
    this.commutes = new CommuteCalls(caller);
    this.events = new EventCalls(caller);
    this.fares = new FareCalls(caller);
    this.places = new PlaceCalls(caller);
    this.routes = new RouteCalls(caller);
    this.tickets = new TicketCalls(caller);
  }

  /**
   * Up to 20 reads in one call, answered in order, each with its own status.
   * @param {{ method: "GET" | "POST", path: string, body?: object }[]} requests
   * @param {CallOptions} [options]
   * @returns {Promise<{ status: number, body: any }[]>}
   */
  async batch(requests, options) {
    const call = { method: "POST", path: "/v1/batch", effect: /** @type {Effect} */ ("read") };
    return (await this.#caller.unary(call, { requests }, options)).responses;
  }

  /**
   * The address of a layer's TileJSON, for MapLibre's `url` of a vector source.
   * @param {string} layer @param {{ accessToken?: string }} [options]
   */
  tileJSONURL(layer, options = {}) {
    const { accessToken } = options;
    return this.#url(`/v1/layers/${encodeURIComponent(layer)}/tiles.json`, { accessToken });
  }

  /**
   * The template of a layer's tiles, with {z}, {x} and {y}: vector tiles, or GeoJSON for Leaflet.
   * @param {string} layer
   * @param {{ format?: "mvt" | "json", tags?: string[], tagMatch?: "all" | "any",
   *   accessToken?: string }} [options] `accessToken`: for maps that set no headers; it has the scope
   *   `read` and at most an hour.
   */
  tileURL(layer, options = {}) {
    const { format = "mvt", tags, tagMatch, accessToken } = options;
    const path = `/v1/layers/${encodeURIComponent(layer)}/tiles/{z}/{x}/{y}.${format}`;
    return this.#url(path, { tags, tagMatch, accessToken });
  }

  /** @param {string} path @param {any} options */
  #url(path, { tags = [], tagMatch, accessToken }) {
    const query = new URLSearchParams();
    for (const tag of tags) query.append("tags", tag);
    if (tagMatch) query.append("tagMatch", tagMatch);
    if (accessToken) query.append("access_token", accessToken);
    const origin = this.#caller.address || globalThis.location?.origin || "";
    return origin + path + (`${query}` ? `?${query}` : "");
  }

  /**
   * For MapLibre's `transformRequest`: adds the token that is in hand to what goes to this daemon.
   * @param {string} url
   */
  transformRequest(url) {
    const token = this.#caller.tokenInHand;
    const origin = this.#caller.address || globalThis.location?.origin;
    if (!token || !origin || !url.startsWith(`${origin}/`)) return { url };
    return { url, headers: { authorization: `Bearer ${token}` } };
  }

  /** Gets a token before a map asks for tiles: `transformRequest` cannot wait for one. */
  async ready() {
    await this.#caller.token();
    return this;
  }
}
// Made by clients/javascript/scripts/generate from here on; do not edit.

/** @typedef {{ latitude?: number, longitude?: number }} Point */
/** @typedef {{ name?: string, latitude?: number, longitude?: number }} Place */
/** @typedef {{ points?: Point[] }} Polygon */
/** @typedef {{ west?: number, south?: number, east?: number, north?: number }} Box */
/** @typedef {{ id?: string, latitude?: number, longitude?: number, tags?: string[], attributes?: Record<string, any>, ttlSeconds?: number, observedAt?: string | Date }} Position */
/** @typedef {{ layer?: string, positions?: Position[] }} ReportRequest */
/** @typedef {{ index?: number, id?: string, field?: string, reason?: string, message?: string }} Rejection */
/** @typedef {{ accepted?: number, rejections?: Rejection[], version?: string }} ReportResponse */
/** @typedef {{ layer?: string, positions?: Position[], register?: RegisterHandles, packed?: PackedReports, sequence?: number }} StreamReportsRequest */
/** @typedef {{ ids?: string[] }} RegisterHandles */
/** @typedef {{ handles?: number[], latitudeE7?: number[], longitudeE7?: number[], observedAtMilliseconds?: number, ttlSeconds?: number }} PackedReports */
/** @typedef {{ accepted?: number, rejections?: Rejection[], handles?: number[], version?: string, sequence?: number }} StreamReportsResponse */
/** @typedef {{ layer?: string, id?: string, minVersion?: string }} GetPositionRequest */
/** @typedef {{ id?: string, latitude?: number, longitude?: number, ageSeconds?: number, tags?: string[], attributes?: Record<string, any>, observedAt?: string | Date, expiresAt?: string | Date }} StoredPosition */
/** @typedef {{ position?: StoredPosition, version?: string }} GetPositionResponse */
/** @typedef {{ layer?: string, id?: string }} RemovePositionRequest */
/** @typedef {{ removed?: boolean, version?: string }} RemovePositionResponse */
/** @typedef {{ attribute?: string, equals?: any, min?: number, max?: number }} AttributeCondition */
/** @typedef {{ layer?: string, latitude?: number, longitude?: number, limit?: number, radiusMeters?: number, tags?: string[], tagMatch?: string, notTags?: string[], excludeIds?: string[], within?: Polygon, where?: AttributeCondition[], maxAgeSeconds?: number, cursor?: string, minVersion?: string, maxStalenessSeconds?: number }} NearbyRequest */
/** @typedef {{ id?: string, latitude?: number, longitude?: number, distanceMeters?: number, bearingDegrees?: number, ageSeconds?: number, tags?: string[], attributes?: Record<string, any> }} Hit */
/** @typedef {{ hits?: Hit[], nextCursor?: string, version?: string, age?: number, coalesced?: boolean, unknownAttributes?: string[] }} NearbyResponse */
/** @typedef {{ layer?: string, requests?: NearbyRequest[] }} NearbyBatchRequest */
/** @typedef {{ responses?: NearbyBatchItem[] }} NearbyBatchResponse */
/** @typedef {{ status?: number, body?: NearbyResponse, error?: Error }} NearbyBatchItem */
/** @typedef {{ code?: string, reason?: string, message?: string, fields?: FieldError[], retryAfterMilliseconds?: number }} Error */
/** @typedef {{ field?: string, reason?: string, message?: string }} FieldError */
/** @typedef {{ layer?: string, west?: number, south?: number, east?: number, north?: number, polygon?: Polygon, limit?: number, tags?: string[], tagMatch?: string, notTags?: string[], excludeIds?: string[], where?: AttributeCondition[], maxAgeSeconds?: number, cursor?: string, minVersion?: string, within?: Polygon, maxStalenessSeconds?: number }} WithinRequest */
/** @typedef {{ hits?: Hit[], nextCursor?: string, version?: string, age?: number, coalesced?: boolean, unknownAttributes?: string[] }} WithinResponse */
/** @typedef {{ layer?: string, west?: number, south?: number, east?: number, north?: number, within?: Polygon, latitude?: number, longitude?: number, radiusMeters?: number, limit?: number, maxAgeSeconds?: number, minVersion?: string }} TagHistogramRequest */
/** @typedef {{ tag?: string, count?: number }} TagCount */
/** @typedef {{ tags?: TagCount[], version?: string }} TagHistogramResponse */
/** @typedef {{ id?: string, latitude?: number, longitude?: number, radiusMeters?: number, box?: Box, within?: Polygon }} Fence */
/** @typedef {{ layer?: string, latitude?: number, longitude?: number, radiusMeters?: number, west?: number, south?: number, east?: number, north?: number, within?: Polygon, tags?: string[], tagMatch?: string, notTags?: string[], excludeIds?: string[], where?: AttributeCondition[], kinds?: string[], intervalMilliseconds?: number, resumeToken?: string, fences?: Fence[] }} WatchPositionsRequest */
/** @typedef {{ id?: string, latitude?: number, longitude?: number, distanceMeters?: number, ageSeconds?: number, tags?: string[], attributes?: Record<string, any>, kind?: string, fenceId?: string, snapshot?: boolean, resumeToken?: string }} WatchPositionsEvent */
/** @typedef {{}} ListLayersRequest */
/** @typedef {{ layer?: string }} DeleteLayerRequest */
/** @typedef {{ removed?: number }} DeleteLayerResponse */
/** @typedef {{ name?: string, objectCount?: number, clusters?: boolean, columns?: string[] }} LayerSummary */
/** @typedef {{ layers?: LayerSummary[] }} ListLayersResponse */
/** @typedef {{ layer?: string, zoom?: number, x?: number, y?: number, format?: string, tags?: string[], tagMatch?: string, notTags?: string[], where?: AttributeCondition[], ifNoneMatch?: string, minVersion?: string }} GetTileRequest */
/** @typedef {{ tile?: Uint8Array, contentType?: string, etag?: string, notModified?: boolean, version?: string, lagMilliseconds?: number, truncated?: boolean }} GetTileResponse */
/** @typedef {{ layer?: string, west?: number, south?: number, east?: number, north?: number, zoom?: number, metersPerPixel?: number, tags?: string[], tagMatch?: string, notTags?: string[], where?: AttributeCondition[], minVersion?: string, limit?: number, maxStalenessSeconds?: number }} GetClustersRequest */
/** @typedef {{ id?: string, latitude?: number, longitude?: number, pointCount?: number, expansionZoom?: number, bounds?: Box, aggregates?: Record<string, any>, coincident?: boolean, sampleIds?: string[], tags?: string[], attributes?: Record<string, any> }} Cluster */
/** @typedef {{ clusters?: Cluster[], version?: string, lagMilliseconds?: number, zoom?: number, truncated?: boolean, age?: number, coalesced?: boolean }} GetClustersResponse */
/** @typedef {{ layer?: string, clusterId?: string, minVersion?: string }} GetChildrenRequest */
/** @typedef {{ clusters?: Cluster[], version?: string }} GetChildrenResponse */
/** @typedef {{ layer?: string, clusterId?: string, limit?: number, cursor?: string, minVersion?: string }} GetLeavesRequest */
/** @typedef {{ hits?: Hit[], nextCursor?: string, version?: string }} GetLeavesResponse */
/** @typedef {{ layer?: string, clusterId?: string, minVersion?: string }} GetExpansionZoomRequest */
/** @typedef {{ expansionZoom?: number, version?: string }} GetExpansionZoomResponse */
/** @typedef {{ layer?: string, west?: number, south?: number, east?: number, north?: number, zoom?: number, intervalMilliseconds?: number, resumeToken?: string }} WatchTilesRequest */
/** @typedef {{ zoom?: number, x?: number, y?: number }} TileRef */
/** @typedef {{ kind?: string, tiles?: TileRef[], resumeToken?: string }} WatchTilesEvent */
/** @typedef {{ distanceMeters?: number, durationSeconds?: number }} RouteSegment */
/** @typedef {{ riderId?: string, dropOff?: Place, seats?: number, weight?: number }} FareRider */
/** @typedef {{ origin?: Place, destination?: Place, segments?: RouteSegment[], distanceMeters?: number, durationSeconds?: number, departureTime?: string | Date, tariffId?: string, vehicleClass?: string, riderCount?: number, riders?: FareRider[], splitRule?: string, tolls?: number, flatTrip?: string, slowSeconds?: number, called?: boolean, outOfArea?: boolean, hostId?: string, seats?: number, seed?: number }} EstimateFareRequest */
/** @typedef {{ kind?: string, amount?: number, quantity?: number, rule?: string }} FareLine */
/** @typedef {{ riderId?: string, amount?: number, soloFare?: number, saving?: number, exceedsSoloBecause?: string }} FareShare */
/** @typedef {{ currency?: string, expected?: number, low?: number, high?: number, tariffId?: string, tariffEffective?: string | Date, distanceMeters?: number, durationSeconds?: number, lines?: FareLine[], shares?: FareShare[], source?: string, unverified?: string[], minorUnitDigits?: number, fallbackReason?: string, perPersonNow?: number, perPersonIfFull?: number, tariffName?: string, tariffSource?: string, departureTime?: string | Date, stopOrder?: string[] }} Fare */
/** @typedef {{ fare?: Fare }} EstimateFareResponse */
/** @typedef {{ riderId?: string, soloFare?: number, distanceMeters?: number, weight?: number, seats?: number }} SplitRider */
/** @typedef {{ amount?: number, aboard?: string[] }} SplitLeg */
/** @typedef {{ amount?: number, currency?: string, rule?: string, riders?: SplitRider[], legs?: SplitLeg[], tolls?: number, seed?: number, hostId?: string }} SplitFareRequest */
/** @typedef {{ shares?: FareShare[], currency?: string }} SplitFareResponse */
/** @typedef {{ area?: string, tariffId?: string, at?: string | Date }} ListTariffsRequest */
/** @typedef {{ id?: string, name?: string, area?: string, vehicleClasses?: string[], currency?: string, effective?: string | Date, superseded?: string | Date, source?: string, verified?: boolean, unverifiedFields?: string[], timeZone?: string }} Tariff */
/** @typedef {{ tariffs?: Tariff[] }} ListTariffsResponse */
/** @typedef {{ sameAttributes?: string[], pack?: string, maxWalkMeters?: number, maxDetourRatio?: number, maxDetourSeconds?: number, minSharedRatio?: number }} PartyPolicy */
/** @typedef {{ riderId?: string, joinedAt?: string | Date, dropOff?: Place, seats?: number, share?: number, acceptedShare?: number, soloFare?: number, saving?: number, rideSeconds?: number, detourSeconds?: number, attributes?: Record<string, any>, weight?: number, maxWalkMeters?: number, maxDetourRatio?: number, minSharedRatio?: number, origin?: Place, maxShare?: number, boarding?: Place, boardingTime?: string | Date, walkMeters?: number, maxRideSeconds?: number, maxDetourSeconds?: number, arriveBy?: string | Date }} PartyRider */
/** @typedef {{ riderId?: string, kind?: string, distanceMeters?: number, durationSeconds?: number }} PartyStop */
/** @typedef {{ distanceMeters?: number, durationSeconds?: number, path?: any[][], stopOrder?: string[], source?: string, stops?: PartyStop[] }} PartyRoute */
/** @typedef {{ currency?: string, expected?: number, low?: number, high?: number, tariffId?: string, source?: string, minorUnitDigits?: number, shares?: FareShare[], distanceMeters?: number, durationSeconds?: number }} PartyFare */
/** @typedef {{ amount?: number, currency?: string }} AgreedFare */
/** @typedef {{ id?: string, riderId?: string, state?: string, expiresAt?: string | Date, createdAt?: string | Date, endedAt?: string | Date, endReason?: string, seats?: number, dropOff?: Place, boarding?: Place, maxShare?: number, share?: number }} JoinRequest */
/** @typedef {{ payerId?: string, amount?: number, tolls?: number, at?: string | Date, shares?: FareShare[] }} PartySettlement */
/** @typedef {{ id?: string, version?: string, state?: string, hostId?: string, riders?: PartyRider[], seats?: number, seatsFree?: number, origin?: Place, destination?: Place, departureTime?: string | Date, departureWindowSeconds?: number, maxDetourRatio?: number, maxWalkMeters?: number, tags?: string[], policy?: PartyPolicy, route?: PartyRoute, fare?: PartyFare, perPersonNow?: number, perPersonIfFull?: number, splitRule?: string, allowRaisedShares?: boolean, called?: boolean, createdAt?: string | Date, settlement?: PartySettlement, endReason?: string, riderCount?: number, minSharedRatio?: number, maxRideSeconds?: number, maxDetourSeconds?: number, agreedFare?: AgreedFare, approval?: string, holdSeats?: boolean, joinRequests?: JoinRequest[], pendingRequests?: number, originPrecision?: string, snappedOrigin?: Place, commuteId?: string }} Party */
/** @typedef {{ party?: Party, version?: string, joinRequest?: JoinRequest }} PartyResponse */
/** @typedef {{ hostId?: string, origin?: Place, destination?: Place, departureTime?: string | Date, departureWindowSeconds?: number, seats?: number, hostSeats?: number, riders?: PartyRider[], maxDetourRatio?: number, maxWalkMeters?: number, tags?: string[], policy?: PartyPolicy, splitRule?: string, attributes?: Record<string, any>, tariffId?: string, vehicleClass?: string, called?: boolean, allowRaisedShares?: boolean, weight?: number, policyPack?: string, minSharedRatio?: number, maxRideSeconds?: number, maxDetourSeconds?: number, arriveBy?: string | Date, agreedFare?: AgreedFare, approval?: string, holdSeats?: boolean, originPrecision?: string }} CreatePartyRequest */
/** @typedef {{ id?: string, minVersion?: string }} GetPartyRequest */
/** @typedef {{ riderId?: string, hostId?: string, state?: string[], limit?: number, cursor?: string, requesterId?: string }} ListPartiesRequest */
/** @typedef {{ parties?: Party[], nextCursor?: string, version?: string, age?: number, coalesced?: boolean }} PartyListResponse */
/** @typedef {{ id?: string, riderId?: string, departureTime?: string | Date, departureWindowSeconds?: number, seats?: number }} UpdatePartyRequest */
/** @typedef {{ id?: string, riderId?: string }} DepartPartyRequest */
/** @typedef {{ id?: string, riderId?: string, reason?: string, hostId?: string }} RemoveRiderRequest */
/** @typedef {{ id?: string, payerId?: string, amount?: number, tolls?: number }} SettlePartyRequest */
/** @typedef {{ id?: string, riderId?: string, reason?: string }} CancelPartyRequest */
/** @typedef {{ id?: string, riderId?: string, destination?: Place, attributes?: Record<string, any>, seats?: number, maxShare?: number, origin?: Place, maxWalkMeters?: number, maxDetourRatio?: number, weight?: number, minSharedRatio?: number, boarding?: Place, departureTime?: string | Date, departureWindowSeconds?: number, maxRideSeconds?: number, maxDetourSeconds?: number, arriveBy?: string | Date }} JoinPartyRequest */
/** @typedef {{ id?: string, requestId?: string, hostId?: string }} ApproveJoinRequest */
/** @typedef {{ id?: string, requestId?: string, hostId?: string }} DeclineJoinRequest */
/** @typedef {{ id?: string, requestId?: string, riderId?: string }} WithdrawJoinRequest */
/** @typedef {{ id?: string, riderId?: string }} LeavePartyRequest */
/** @typedef {{ latitude?: number, longitude?: number, radiusMeters?: number, box?: Box, destination?: Point, destinationRadiusMeters?: number, from?: string | Date, to?: string | Date, seats?: number, tags?: string[], limit?: number, cursor?: string, tagMatch?: string, minVersion?: string, maxStalenessSeconds?: number }} SearchPartiesRequest */
/** @typedef {{ riderId?: string, origin?: Place, destination?: Place, departureTime?: string | Date, departureWindowSeconds?: number, maxWalkMeters?: number, maxDetourRatio?: number, minSharedRatio?: number, attributes?: Record<string, any>, seats?: number, limit?: number, explain?: boolean, tags?: string[], maxShare?: number, minVersion?: string, maxStalenessSeconds?: number, allowsOverlap?: boolean, boarding?: Place, maxRideSeconds?: number, maxDetourSeconds?: number, arriveBy?: string | Date }} MatchPartiesRequest */
/** @typedef {{ party?: Party, walkMeters?: number, detourSeconds?: number, sharedRatio?: number, stopOrder?: string[], route?: PartyRoute, yourFare?: number, yourSaving?: number, timeGapSeconds?: number, boarding?: Place, boardingTime?: string | Date }} MatchCandidate */
/** @typedef {{ rule?: string, field?: string, value?: number, partyId?: string, message?: string, amount?: number, boarding?: Place }} MatchRelaxation */
/** @typedef {{ considered?: number, removed?: Record<string, any>, relaxation?: MatchRelaxation, matched?: number, relaxations?: MatchRelaxation[] }} MatchExplanation */
/** @typedef {{ candidates?: MatchCandidate[], explanation?: MatchExplanation, version?: string, age?: number, coalesced?: boolean }} MatchPartiesResponse */
/** @typedef {{ id?: string, riderId?: string, destination?: Place, attributes?: Record<string, any>, seats?: number, origin?: Place, maxWalkMeters?: number, maxDetourRatio?: number, maxShare?: number, weight?: number, minSharedRatio?: number, boarding?: Place, departureTime?: string | Date, departureWindowSeconds?: number, maxRideSeconds?: number, maxDetourSeconds?: number, arriveBy?: string | Date }} PreviewJoinRequest */
/** @typedef {{ riderId?: string, share?: number, rideSeconds?: number, detourSeconds?: number, soloFare?: number, saving?: number, sharedRatio?: number }} PreviewShare */
/** @typedef {{ now?: PreviewShare[], ifFull?: PreviewShare[], route?: PartyRoute, fare?: PartyFare, refusal?: string, refusalMessage?: string, version?: string, boarding?: Place, boardingTime?: string | Date, walkMeters?: number }} PreviewJoinResponse */
/** @typedef {{ riderId?: string, origin?: Place, destination?: Place, departureTime?: string | Date, departureWindowSeconds?: number, maxWalkMeters?: number, maxDetourRatio?: number, minSharedRatio?: number, attributes?: Record<string, any>, seats?: number, limit?: number, tags?: string[], maxShare?: number, allowsOverlap?: boolean, boarding?: Place, maxRideSeconds?: number, maxDetourSeconds?: number, arriveBy?: string | Date, store?: boolean, resumeToken?: string }} WatchMatchesRequest */
/** @typedef {{ kind?: string, candidates?: MatchCandidate[], partyId?: string, matchId?: string, resumeToken?: string, offer?: RideOffer }} WatchMatchesEvent */
/** @typedef {{ riderId?: string, origin?: Place, destination?: Place, departureTime?: string | Date, departureWindowSeconds?: number, maxWalkMeters?: number, maxDetourRatio?: number, seats?: number, attributes?: Record<string, any>, minSharedRatio?: number, boarding?: Place, maxRideSeconds?: number, maxDetourSeconds?: number, arriveBy?: string | Date }} BatchRequest */
/** @typedef {{ requests?: BatchRequest[], maxSeats?: number, seed?: number, iterations?: number, timeBudgetMilliseconds?: number, policy?: PartyPolicy, tariffId?: string }} MatchBatchRequest */
/** @typedef {{ riderId?: string, boarding?: Place, boardingTime?: string | Date, walkMeters?: number }} BatchBoarding */
/** @typedef {{ riderIds?: string[], pickUp?: Place, departureTime?: string | Date, stopOrder?: string[], distanceMeters?: number, durationSeconds?: number, fare?: number, saving?: number, shares?: FareShare[], currency?: string, departureWindowSeconds?: number, tariffId?: string, soloFares?: number, boardings?: BatchBoarding[] }} BatchGroup */
/** @typedef {{ groups?: BatchGroup[], unmatched?: string[], saving?: number, iterations?: number, currency?: string, end?: string }} MatchBatchResponse */
/** @typedef {{ id?: string, riderId?: string, state?: string, origin?: Place, destination?: Place, boarding?: Place, departureTime?: string | Date, departureWindowSeconds?: number, maxWalkMeters?: number, maxDetourRatio?: number, minSharedRatio?: number, maxRideSeconds?: number, maxDetourSeconds?: number, arriveBy?: string | Date, seats?: number, tags?: string[], maxShare?: number, allowsOverlap?: boolean, createdAt?: string | Date, foundPartyIds?: string[], offerId?: string, commuteId?: string }} RideRequest */
/** @typedef {{ riderId?: string }} ListRideRequestsRequest */
/** @typedef {{ requests?: RideRequest[] }} RideRequestListResponse */
/** @typedef {{ id?: string, riderId?: string }} GetRideRequestRequest */
/** @typedef {{ request?: RideRequest }} RideRequestResponse */
/** @typedef {{ id?: string, riderId?: string }} WithdrawRideRequestRequest */
/** @typedef {{ id?: string, requestId?: string, riderId?: string, state?: string, answer?: string, createdAt?: string | Date, expiresAt?: string | Date, endedAt?: string | Date, endReason?: string, partyId?: string, riders?: number, accepted?: number, departureTime?: string | Date, departureWindowSeconds?: number, origin?: Place, boarding?: Place, share?: number, soloFare?: number, fare?: number, currency?: string, walkMeters?: number, rideSeconds?: number, detourSeconds?: number }} RideOffer */
/** @typedef {{ riderId?: string }} ListRideOffersRequest */
/** @typedef {{ offers?: RideOffer[] }} RideOfferListResponse */
/** @typedef {{ id?: string, riderId?: string }} GetRideOfferRequest */
/** @typedef {{ offer?: RideOffer }} RideOfferResponse */
/** @typedef {{ id?: string, riderId?: string }} AcceptRideOfferRequest */
/** @typedef {{ id?: string, riderId?: string }} DeclineRideOfferRequest */
/** @typedef {{ id?: string, resumeToken?: string, afterVersion?: string }} WatchPartyRequest */
/** @typedef {{ sequence?: number, kind?: string, at?: string | Date, partyId?: string, matchId?: string, userIds?: string[], version?: string, body?: Record<string, any>, resumeToken?: string, commuteId?: string, rideOfferId?: string }} Event */
/** @typedef {{ after?: number, kinds?: string[], waitSeconds?: number, limit?: number }} ListEventsRequest */
/** @typedef {{ events?: Event[], next?: number }} ListEventsResponse */
/** @typedef {{ after?: number, kinds?: string[], resumeToken?: string }} WatchEventsRequest */
/** @typedef {{ riderId?: string, joinedAt?: string | Date, destination?: Place, boarding?: Place, seats?: number, maxShare?: number }} CommuteRider */
/** @typedef {{ date?: string, departureTime?: string | Date, state?: string, partyId?: string, requestId?: string, reason?: string, clockChange?: string }} CommuteOccurrence */
/** @typedef {{ id?: string, version?: string, state?: string, hostId?: string, riderId?: string, weekdays?: string[], localTime?: string, timeZone?: string, from?: string, to?: string, added?: string[], removed?: string[], holidays?: string, origin?: Place, destination?: Place, departureWindowSeconds?: number, seats?: number, hostSeats?: number, maxWalkMeters?: number, maxDetourRatio?: number, minSharedRatio?: number, maxRideSeconds?: number, maxDetourSeconds?: number, tags?: string[], policy?: PartyPolicy, policyPack?: string, splitRule?: string, allowRaisedShares?: boolean, called?: boolean, tariffId?: string, vehicleClass?: string, boarding?: Place, maxShare?: number, allowsOverlap?: boolean, createdAt?: string | Date, riders?: CommuteRider[], riderCount?: number, occurrences?: CommuteOccurrence[], endReason?: string, agreedFare?: AgreedFare, approval?: string, holdSeats?: boolean, arriveBy?: string }} Commute */
/** @typedef {{ commute?: Commute }} CommuteResponse */
/** @typedef {{ commutes?: Commute[] }} CommuteListResponse */
/** @typedef {{ hostId?: string, riderId?: string, weekdays?: string[], localTime?: string, timeZone?: string, from?: string, to?: string, added?: string[], removed?: string[], holidays?: string, origin?: Place, destination?: Place, departureWindowSeconds?: number, seats?: number, hostSeats?: number, maxWalkMeters?: number, maxDetourRatio?: number, minSharedRatio?: number, maxRideSeconds?: number, maxDetourSeconds?: number, tags?: string[], attributes?: Record<string, any>, policy?: PartyPolicy, policyPack?: string, splitRule?: string, allowRaisedShares?: boolean, called?: boolean, tariffId?: string, vehicleClass?: string, weight?: number, boarding?: Place, maxShare?: number, allowsOverlap?: boolean, agreedFare?: AgreedFare, approval?: string, holdSeats?: boolean, arriveBy?: string }} CreateCommuteRequest */
/** @typedef {{ id?: string, riderId?: string, days?: number }} GetCommuteRequest */
/** @typedef {{ riderId?: string, hostId?: string }} ListCommutesRequest */
/** @typedef {{ id?: string, riderId?: string, weekdays?: string[], localTime?: string, timeZone?: string, from?: string, to?: string, added?: string[], removed?: string[], restored?: string[], holidays?: string, departureWindowSeconds?: number, seats?: number, includeAppeared?: boolean, arriveBy?: string, origin?: Place, destination?: Place, maxWalkMeters?: number, maxDetourRatio?: number, minSharedRatio?: number, maxRideSeconds?: number, maxDetourSeconds?: number, tags?: string[], attributes?: Record<string, any>, hostSeats?: number, policy?: PartyPolicy, policyPack?: string, splitRule?: string, allowRaisedShares?: boolean, called?: boolean, tariffId?: string, vehicleClass?: string, weight?: number, agreedFare?: AgreedFare, approval?: string, holdSeats?: boolean, boarding?: Place, maxShare?: number, allowsOverlap?: boolean, cleared?: string[] }} UpdateCommuteRequest */
/** @typedef {{ id?: string, riderId?: string, reason?: string, includeAppeared?: boolean }} CancelCommuteRequest */
/** @typedef {{ id?: string, riderId?: string, destination?: Place, attributes?: Record<string, any>, seats?: number, maxShare?: number, origin?: Place, maxWalkMeters?: number, maxDetourRatio?: number, weight?: number, minSharedRatio?: number, boarding?: Place, maxRideSeconds?: number, maxDetourSeconds?: number }} JoinCommuteRequest */
/** @typedef {{ id?: string, riderId?: string }} LeaveCommuteRequest */
/** @typedef {{ id?: string, name?: string, address?: string, category?: string, latitude?: number, longitude?: number, distanceMeters?: number, source?: string }} NamedPlace */
/** @typedef {{ q?: string, latitude?: number, longitude?: number, radiusMeters?: number, limit?: number }} SearchPlacesRequest */
/** @typedef {{ places?: NamedPlace[] }} SearchPlacesResponse */
/** @typedef {{ latitude?: number, longitude?: number, limit?: number }} ReversePlacesRequest */
/** @typedef {{ places?: NamedPlace[] }} ReversePlacesResponse */
/** @typedef {{ riderId?: string, latitude?: number, longitude?: number, kind?: string }} RouteStop */
/** @typedef {{ origin?: Place, destination?: Place, stops?: RouteStop[], departureTime?: string | Date, keepOrder?: boolean }} PlanRouteRequest */
/** @typedef {{ distanceMeters?: number, durationSeconds?: number }} RouteLeg */
/** @typedef {{ distanceMeters?: number, durationSeconds?: number, path?: any[][], stopOrder?: number[], source?: string, legs?: RouteLeg[], fallbackReason?: string, lowDurationSeconds?: number, highDurationSeconds?: number }} PlanRouteResponse */
/** @typedef {{ name?: string, values?: string[] }} WantedAttribute */
/** @typedef {{ userId?: string, version?: string, state?: string, here?: Point, lookingAt?: Point, shownAt?: Point, cellMeters?: number, tags?: string[], attributes?: Record<string, any>, wanted?: WantedAttribute[], proposalsFrom?: string[], proposalsTo?: string[], matchedWith?: string, matchId?: string, expiresAt?: string | Date, online?: boolean, lastSeenSeconds?: number, dodgedBy?: string, reviewed?: boolean, penaltyUntil?: string | Date, bannedUntil?: string | Date, blocked?: string[], lastMatchedWith?: string }} Ticket */
/** @typedef {{ ticket?: Ticket, version?: string }} TicketResponse */
/** @typedef {{ userId?: string, here?: Point, lookingAt?: Point, tags?: string[], attributes?: Record<string, any>, wanted?: WantedAttribute[], expiresInSeconds?: number }} OpenTicketRequest */
/** @typedef {{ userId?: string }} CloseTicketRequest */
/** @typedef {{ userId?: string, afterVersion?: string, waitSeconds?: number }} GetTicketRequest */
/** @typedef {{ userId?: string }} HeartbeatTicketRequest */
/** @typedef {{ userId?: string, otherId?: string }} OtherUserRequest */
/** @typedef {{ userId?: string, otherId?: string, matchIfAsked?: boolean }} ProposeRequest */
/** @typedef {{ userId?: string, otherId?: string, stars?: number, reputation?: number[], comment?: string }} RateUserRequest */
/** @typedef {{ commonTags?: number, distance?: number, online?: number, rating?: number, lastSeen?: number }} TicketRanking */
/** @typedef {{ userId?: string, lookingAt?: Point, tags?: string[], radiusMeters?: number, limit?: number, cursor?: string, wanted?: WantedAttribute[], onlineOnly?: boolean, minimumStars?: number, ranking?: TicketRanking, explain?: boolean }} SearchTicketsRequest */
/** @typedef {{ commonTags?: number, distance?: number, online?: number, rating?: number, lastSeen?: number, total?: number }} TicketScore */
/** @typedef {{ userId?: string, latitude?: number, longitude?: number, cellMeters?: number, distanceMeters?: number, tags?: string[], commonTags?: string[], attributes?: Record<string, any>, wanted?: WantedAttribute[], online?: boolean, lastSeenSeconds?: number, stars?: number, reputation?: number[], comments?: string[], asked?: boolean, score?: TicketScore }} TicketPerson */
/** @typedef {{ tag?: string, count?: number }} PopularTag */
/** @typedef {{ considered?: number, removed?: Record<string, any>, matching?: number }} TicketExplanation */
/** @typedef {{ around?: TicketPerson[], askedMe?: TicketPerson[], popularTags?: PopularTag[], nextCursor?: string, explanation?: TicketExplanation, version?: string }} SearchTicketsResponse */
/** @typedef {{ userId?: string, resumeToken?: string, afterVersion?: string }} WatchTicketRequest */

class PositionCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `POST /v1/layers/{layer}/positions`
   * @param {ReportRequest} request @param {CallOptions} [options]
   * @returns {Promise<ReportResponse>} */
  report(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/layers/{layer}/positions",
      effect: "set" }, request, options);
  }

  /** `GET /v1/layers/{layer}/positions/{id}`
   * @param {GetPositionRequest} request @param {CallOptions} [options]
   * @returns {Promise<GetPositionResponse>} */
  get(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/layers/{layer}/positions/{id}",
      effect: "read" }, request, options);
  }

  /** `DELETE /v1/layers/{layer}/positions/{id}`
   * @param {RemovePositionRequest} request @param {CallOptions} [options]
   * @returns {Promise<RemovePositionResponse>} */
  remove(request, options) {
    return this.#caller.unary({ method: "DELETE", path: "/v1/layers/{layer}/positions/{id}",
      effect: "set" }, request, options);
  }

  /** `POST /v1/layers/{layer}/nearby`
   * @param {NearbyRequest} request @param {CallOptions} [options]
   * @returns {Promise<NearbyResponse>} */
  nearby(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/layers/{layer}/nearby",
      effect: "read" }, request, options);
  }

  /** `POST /v1/layers/{layer}/nearby/batch`
   * @param {NearbyBatchRequest} request @param {CallOptions} [options]
   * @returns {Promise<NearbyBatchResponse>} */
  nearbyBatch(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/layers/{layer}/nearby/batch",
      effect: "read" }, request, options);
  }

  /** `POST /v1/layers/{layer}/within`
   * @param {WithinRequest} request @param {CallOptions} [options]
   * @returns {Promise<WithinResponse>} */
  within(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/layers/{layer}/within",
      effect: "read" }, request, options);
  }

  /** `GET /v1/layers/{layer}/tags`
   * @param {TagHistogramRequest} request @param {CallOptions} [options]
   * @returns {Promise<TagHistogramResponse>} */
  tagHistogram(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/layers/{layer}/tags",
      effect: "read" }, request, options);
  }

  /** `POST /v1/layers/{layer}/watch`
   * @param {WatchPositionsRequest} request @param {StreamOptions} [options]
   * @returns {Stream<WatchPositionsEvent>} */
  watch(request, options) {
    return this.#caller.stream({ method: "POST", path: "/v1/layers/{layer}/watch",
      effect: "read" }, request, options);
  }

  /** `GET /v1/layers`
   * @param {ListLayersRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<ListLayersResponse>} */
  listLayers(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/layers",
      effect: "read" }, request, options);
  }

  /** `DELETE /v1/layers/{layer}`
   * @param {DeleteLayerRequest} request @param {CallOptions} [options]
   * @returns {Promise<DeleteLayerResponse>} */
  deleteLayer(request, options) {
    return this.#caller.unary({ method: "DELETE", path: "/v1/layers/{layer}",
      effect: "once" }, request, options);
  }
}

class ClusterCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `GET /v1/layers/{layer}/tiles/{z}/{x}/{y}.mvt`
   * @param {GetTileRequest} request @param {CallOptions} [options]
   * @returns {Promise<GetTileResponse>} */
  getTile(request, options) {
    return this.#caller.tile({ method: "GET", path: "/v1/layers/{layer}/tiles/{zoom}/{x}/{y}.mvt",
      effect: "read" }, request, options);
  }

  /** `GET /v1/layers/{layer}/clusters`
   * @param {GetClustersRequest} request @param {CallOptions} [options]
   * @returns {Promise<GetClustersResponse>} */
  getClusters(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/layers/{layer}/clusters",
      effect: "read" }, request, options);
  }

  /** `GET /v1/layers/{layer}/clusters/{clusterId}/children`
   * @param {GetChildrenRequest} request @param {CallOptions} [options]
   * @returns {Promise<GetChildrenResponse>} */
  getChildren(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/layers/{layer}/clusters/{clusterId}/children",
      effect: "read" }, request, options);
  }

  /** `GET /v1/layers/{layer}/clusters/{clusterId}/leaves`
   * @param {GetLeavesRequest} request @param {CallOptions} [options]
   * @returns {Promise<GetLeavesResponse>} */
  getLeaves(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/layers/{layer}/clusters/{clusterId}/leaves",
      effect: "read" }, request, options);
  }

  /** `GET /v1/layers/{layer}/clusters/{clusterId}/expansion-zoom`
   * @param {GetExpansionZoomRequest} request @param {CallOptions} [options]
   * @returns {Promise<GetExpansionZoomResponse>} */
  getExpansionZoom(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/layers/{layer}/clusters/{clusterId}/expansion-zoom",
      effect: "read" }, request, options);
  }

  /** `GET /v1/layers/{layer}/tiles/watch`
   * @param {WatchTilesRequest} request @param {StreamOptions} [options]
   * @returns {Stream<WatchTilesEvent>} */
  watchTiles(request, options) {
    return this.#caller.stream({ method: "GET", path: "/v1/layers/{layer}/tiles/watch",
      effect: "read" }, request, options);
  }
}

class FareCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `POST /v1/fares/estimate`
   * @param {EstimateFareRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<EstimateFareResponse>} */
  estimate(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/fares/estimate",
      effect: "read" }, request, options);
  }

  /** `POST /v1/fares/split`
   * @param {SplitFareRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<SplitFareResponse>} */
  split(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/fares/split",
      effect: "read" }, request, options);
  }

  /** `GET /v1/tariffs`
   * @param {ListTariffsRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<ListTariffsResponse>} */
  listTariffs(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/tariffs",
      effect: "read" }, request, options);
  }
}

class PartyCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `POST /v1/parties`
   * @param {CreatePartyRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  create(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties",
      effect: "keyed" }, request, options);
  }

  /** `GET /v1/parties/{id}`
   * @param {GetPartyRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  get(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/parties/{id}",
      effect: "read" }, request, options);
  }

  /** `GET /v1/parties`
   * @param {ListPartiesRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<PartyListResponse>} */
  list(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/parties",
      effect: "read" }, request, options);
  }

  /** `POST /v1/parties/{id}/update`
   * @param {UpdatePartyRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  update(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/update",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/depart`
   * @param {DepartPartyRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  depart(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/depart",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/riders/{riderId}/remove`
   * @param {RemoveRiderRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  removeRider(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/riders/{riderId}/remove",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/settle`
   * @param {SettlePartyRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  settle(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/settle",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/cancel`
   * @param {CancelPartyRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  cancel(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/cancel",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/search`
   * @param {SearchPartiesRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<PartyListResponse>} */
  search(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/search",
      effect: "read" }, request, options);
  }

  /** `POST /v1/parties/match`
   * @param {MatchPartiesRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<MatchPartiesResponse>} */
  match(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/match",
      effect: "read" }, request, options);
  }

  /** `POST /v1/parties/{id}/preview`
   * @param {PreviewJoinRequest} request @param {CallOptions} [options]
   * @returns {Promise<PreviewJoinResponse>} */
  previewJoin(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/preview",
      effect: "read" }, request, options);
  }

  /** `POST /v1/parties/match/watch`
   * @param {WatchMatchesRequest} [request] @param {StreamOptions} [options]
   * @returns {Stream<WatchMatchesEvent>} */
  watchMatches(request = {}, options) {
    return this.#caller.stream({ method: "POST", path: "/v1/parties/match/watch",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/join`
   * @param {JoinPartyRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  join(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/join",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/requests/{requestId}/approve`
   * @param {ApproveJoinRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  approveJoin(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/requests/{requestId}/approve",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/requests/{requestId}/decline`
   * @param {DeclineJoinRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  declineJoin(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/requests/{requestId}/decline",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/requests/{requestId}/withdraw`
   * @param {WithdrawJoinRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  withdrawJoin(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/requests/{requestId}/withdraw",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/parties/{id}/leave`
   * @param {LeavePartyRequest} request @param {CallOptions} [options]
   * @returns {Promise<PartyResponse>} */
  leave(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/{id}/leave",
      effect: "keyed" }, request, options);
  }

  /** `GET /v1/parties/{id}/events`
   * @param {WatchPartyRequest} request @param {StreamOptions} [options]
   * @returns {Stream<Event>} */
  watch(request, options) {
    return this.#caller.stream({ method: "GET", path: "/v1/parties/{id}/events",
      effect: "read", durable: true }, request, options);
  }

  /** `POST /v1/parties/match-batch`
   * @param {MatchBatchRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<MatchBatchResponse>} */
  matchBatch(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/parties/match-batch",
      effect: "read" }, request, options);
  }

  /** `GET /v1/ride-requests`
   * @param {ListRideRequestsRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<RideRequestListResponse>} */
  listRideRequests(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/ride-requests",
      effect: "read" }, request, options);
  }

  /** `GET /v1/ride-requests/{id}`
   * @param {GetRideRequestRequest} request @param {CallOptions} [options]
   * @returns {Promise<RideRequestResponse>} */
  getRideRequest(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/ride-requests/{id}",
      effect: "read" }, request, options);
  }

  /** `POST /v1/ride-requests/{id}/withdraw`
   * @param {WithdrawRideRequestRequest} request @param {CallOptions} [options]
   * @returns {Promise<RideRequestResponse>} */
  withdrawRideRequest(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/ride-requests/{id}/withdraw",
      effect: "keyed" }, request, options);
  }

  /** `GET /v1/ride-offers`
   * @param {ListRideOffersRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<RideOfferListResponse>} */
  listRideOffers(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/ride-offers",
      effect: "read" }, request, options);
  }

  /** `GET /v1/ride-offers/{id}`
   * @param {GetRideOfferRequest} request @param {CallOptions} [options]
   * @returns {Promise<RideOfferResponse>} */
  getRideOffer(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/ride-offers/{id}",
      effect: "read" }, request, options);
  }

  /** `POST /v1/ride-offers/{id}/accept`
   * @param {AcceptRideOfferRequest} request @param {CallOptions} [options]
   * @returns {Promise<RideOfferResponse>} */
  acceptRideOffer(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/ride-offers/{id}/accept",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/ride-offers/{id}/decline`
   * @param {DeclineRideOfferRequest} request @param {CallOptions} [options]
   * @returns {Promise<RideOfferResponse>} */
  declineRideOffer(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/ride-offers/{id}/decline",
      effect: "keyed" }, request, options);
  }
}

class EventCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `GET /v1/events`
   * @param {ListEventsRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<ListEventsResponse>} */
  list(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/events",
      effect: "read" }, request, options);
  }

  /** `GET /v1/events`
   * @param {WatchEventsRequest} [request] @param {StreamOptions} [options]
   * @returns {Stream<Event>} */
  watch(request = {}, options) {
    return this.#caller.stream({ method: "GET", path: "/v1/events",
      effect: "read", durable: true }, request, options);
  }
}

class CommuteCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `POST /v1/commutes`
   * @param {CreateCommuteRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<CommuteResponse>} */
  create(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/commutes",
      effect: "keyed" }, request, options);
  }

  /** `GET /v1/commutes/{id}`
   * @param {GetCommuteRequest} request @param {CallOptions} [options]
   * @returns {Promise<CommuteResponse>} */
  get(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/commutes/{id}",
      effect: "read" }, request, options);
  }

  /** `GET /v1/commutes`
   * @param {ListCommutesRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<CommuteListResponse>} */
  list(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/commutes",
      effect: "read" }, request, options);
  }

  /** `POST /v1/commutes/{id}/update`
   * @param {UpdateCommuteRequest} request @param {CallOptions} [options]
   * @returns {Promise<CommuteResponse>} */
  update(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/commutes/{id}/update",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/commutes/{id}/cancel`
   * @param {CancelCommuteRequest} request @param {CallOptions} [options]
   * @returns {Promise<CommuteResponse>} */
  cancel(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/commutes/{id}/cancel",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/commutes/{id}/join`
   * @param {JoinCommuteRequest} request @param {CallOptions} [options]
   * @returns {Promise<CommuteResponse>} */
  join(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/commutes/{id}/join",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/commutes/{id}/leave`
   * @param {LeaveCommuteRequest} request @param {CallOptions} [options]
   * @returns {Promise<CommuteResponse>} */
  leave(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/commutes/{id}/leave",
      effect: "keyed" }, request, options);
  }
}

class PlaceCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `GET /v1/places/search`
   * @param {SearchPlacesRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<SearchPlacesResponse>} */
  search(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/places/search",
      effect: "read" }, request, options);
  }

  /** `GET /v1/places/reverse`
   * @param {ReversePlacesRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<ReversePlacesResponse>} */
  reverse(request = {}, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/places/reverse",
      effect: "read" }, request, options);
  }
}

class RouteCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `POST /v1/routes/plan`
   * @param {PlanRouteRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<PlanRouteResponse>} */
  plan(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/routes/plan",
      effect: "read" }, request, options);
  }
}

class TicketCalls {
  #caller;
  /** @param {Caller} caller */
  constructor(caller) { this.#caller = caller; }

  /** `POST /v1/tickets`
   * @param {OpenTicketRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  open(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets",
      effect: "keyed" }, request, options);
  }

  /** `DELETE /v1/tickets/{userId}`
   * @param {CloseTicketRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  close(request, options) {
    return this.#caller.unary({ method: "DELETE", path: "/v1/tickets/{userId}",
      effect: "keyed" }, request, options);
  }

  /** `GET /v1/tickets/{userId}`
   * @param {GetTicketRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  get(request, options) {
    return this.#caller.unary({ method: "GET", path: "/v1/tickets/{userId}",
      effect: "read" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/heartbeat`
   * @param {HeartbeatTicketRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  heartbeat(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/heartbeat",
      effect: "set" }, request, options);
  }

  /** `POST /v1/tickets/search`
   * @param {SearchTicketsRequest} [request] @param {CallOptions} [options]
   * @returns {Promise<SearchTicketsResponse>} */
  search(request = {}, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/search",
      effect: "read" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/propose`
   * @param {ProposeRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  propose(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/propose",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/withdraw`
   * @param {OtherUserRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  withdraw(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/withdraw",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/accept`
   * @param {OtherUserRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  accept(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/accept",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/decline`
   * @param {OtherUserRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  decline(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/decline",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/dodge`
   * @param {OtherUserRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  dodge(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/dodge",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/rate`
   * @param {RateUserRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  rate(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/rate",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/report`
   * @param {OtherUserRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  reportUser(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/report",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/block`
   * @param {OtherUserRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  block(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/block",
      effect: "keyed" }, request, options);
  }

  /** `POST /v1/tickets/{userId}/unblock`
   * @param {OtherUserRequest} request @param {CallOptions} [options]
   * @returns {Promise<TicketResponse>} */
  unblock(request, options) {
    return this.#caller.unary({ method: "POST", path: "/v1/tickets/{userId}/unblock",
      effect: "keyed" }, request, options);
  }

  /** `GET /v1/tickets/{userId}/events`
   * @param {WatchTicketRequest} request @param {StreamOptions} [options]
   * @returns {Stream<Event>} */
  watch(request, options) {
    return this.#caller.stream({ method: "GET", path: "/v1/tickets/{userId}/events",
      effect: "read", durable: true }, request, options);
  }
}
