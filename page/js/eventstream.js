// Server-sent events over fetch, which sets headers where the browser's own EventSource cannot: so no
// token stands in an address. Speaks as much of EventSource as the page uses.

const standardRetryMilliseconds = 3000;

export class EventStream extends EventTarget {
  #address;
  #headers;
  #onRefusal;
  #abort = new AbortController();
  #lastID = "";
  #retryMilliseconds = standardRetryMilliseconds;
  #timer;

  /** As EventSource has it. */
  readyState = EventSource.CONNECTING;

  /**
   * @param headers answers the fields to send, each time it connects.
   * @param onRefusal called with an answer that is no stream; the stream is closed then.
   */
  constructor(address, headers, onRefusal) {
    super();
    this.#address = address;
    this.#headers = headers;
    this.#onRefusal = onRefusal;
    this.#run();
  }

  close() {
    this.readyState = EventSource.CLOSED;
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #run() {
    try {
      const headers = { Accept: "text/event-stream", ...this.#headers() };
      if (this.#lastID) headers["Last-Event-ID"] = this.#lastID;
      const response = await fetch(this.#address, {
        headers, signal: this.#abort.signal, cache: "no-store", credentials: "same-origin",
      });
      if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
        this.close();
        this.#onRefusal(response);
        this.dispatchEvent(new Event("error"));
        return;
      }
      this.readyState = EventSource.OPEN;
      this.dispatchEvent(new Event("open"));
      await this.#read(response.body.pipeThrough(new TextDecoderStream()).getReader());
    } catch {
      // The connection broke, or was never made: it is made again.
    }
    if (this.readyState === EventSource.CLOSED) return;
    this.readyState = EventSource.CONNECTING;
    this.dispatchEvent(new Event("error"));
    if (this.readyState === EventSource.CLOSED) return;
    this.#timer = setTimeout(() => this.#run(), this.#retryMilliseconds);
  }

  async #read(reader) {
    let rest = "";
    let event = { data: [] };
    for (;;) {
      const { value, done } = await reader.read();
      if (done || this.readyState === EventSource.CLOSED) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines.map((one) => one.replace(/\r$/, ""))) {
        if (line !== "") this.#take(line, event);
        else {
          this.#tell(event);
          event = { data: [] };
        }
      }
    }
  }

  #take(line, event) {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") event.data.push(value);
    else if (name === "event") event.kind = value;
    else if (name === "id" && !value.includes("\0")) this.#lastID = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.#retryMilliseconds = Number(value);
  }

  #tell({ kind, data }) {
    if (data.length === 0 || this.readyState === EventSource.CLOSED) return;
    this.dispatchEvent(new MessageEvent(kind || "message", {
      data: data.join("\n"), lastEventId: this.#lastID,
    }));
  }
}
