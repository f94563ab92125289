// Who this page is to the daemon: a token that stands in the tab's session storage alone, never in an
// address, asked for in a dialog. Another token is another person, so that taking one loads the page
// anew: nothing that was shown to the one before stays.

// Each page that has this file has a language.js beside it.
import { t } from "./language.js";

const storageKey = "moyeo.token";

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function stored() {
  try {
    return sessionStorage.getItem(storageKey) ?? undefined;
  } catch {
    return undefined;
  }
}

/** What a JSON Web Token says of itself, for showing only: the daemon alone judges it. */
function claims(token) {
  try {
    const text = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const said = JSON.parse(new TextDecoder().decode(bytes));
    return said !== null && typeof said === "object" ? said : undefined;
  } catch {
    return undefined;
  }
}

/** What somebody pasted, without the words that stand before it in a header. */
const cleaned = (text) => text.trim().replace(/^(authorization\s*:)?\s*bearer\s+/i, "");

export class Identity {
  #note;
  #text = element("span");
  #change = element("button", { type: "button", id: "token-change" });
  #dialog;
  #input;
  #problem;
  #forget;
  #token;
  #said;
  /** Whether calls may be made: in open mode always, else with a token that was not refused. */
  #mayAsk = true;
  /** Never fulfilled: the next token loads the page anew. */
  #never = new Promise(() => {});

  /** `open`, `tokens`, or undefined where the daemon does not say. */
  mode;

  /**
   * @param note an element for the sentence that says who calls.
   * @param mode as `page-config.json` has it.
   */
  begin(note, mode) {
    this.mode = mode;
    this.#note = note;
    note.replaceChildren(this.#text, this.#change);
    note.hidden = mode !== "open" && mode !== "tokens";
    this.#change.hidden = mode !== "tokens";
    if (mode === "open") {
      this.#say(t("openMode"));
    } else if (mode === "tokens") {
      this.#change.addEventListener("click", () => this.#ask());
      this.#build();
      this.#token = stored();
      this.#said = this.#token && claims(this.#token);
      this.#mayAsk = this.#token !== undefined;
      this.#say(this.#mayAsk ? this.#whoCalls() : t("tokenNeeded"));
      if (!this.#mayAsk) this.#ask();
    }
  }

  /** Fields of a request that say who calls. */
  get headers() {
    return this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` };
  }

  /** The person that the token names; undefined in open mode and for API keys. */
  get subject() {
    return typeof this.#said?.sub === "string" ? this.#said.sub : undefined;
  }

  /** Whether the token is plainly a person's, to whom the feed of all events is closed. */
  get isPerson() {
    const scope = this.#said?.scope;
    return typeof scope === "string" && !scope.split(" ").includes("service");
  }

  get mayAsk() {
    return this.#mayAsk;
  }

  /** Waits as long as there is nobody to ask as: a call would only be refused. */
  async ready() {
    if (!this.#mayAsk) await this.#never;
  }

  /** Says what the daemon has against the token. Other reasons are no affair of it. */
  refused({ reason, message }) {
    if (this.mode !== "tokens") return;
    if (reason === "token_expired") {
      this.#end(t("tokenExpired"));
    } else if (reason === "unauthenticated") {
      this.#end(t("tokenRefused", { message }));
    } else if (reason === "forbidden") {
      this.#say(t("tokenForbidden", { message }), true);
    }
  }

  #end(sentence) {
    // Answers to several calls say it several times; the dialog is asked for once.
    if (!this.#mayAsk) return;
    this.#mayAsk = false;
    this.#say(sentence, true);
    this.#ask(sentence);
  }

  #whoCalls() {
    return this.subject === undefined
      ? t("callWithToken") : t("callAs", { name: this.subject });
  }

  #say(sentence, isError = false) {
    this.#text.textContent = sentence;
    this.#note.classList.toggle("error", isError);
    this.#change.textContent = this.#token === undefined ? t("giveToken") : t("changeToken");
  }

  #build() {
    this.#input = element("input", {
      id: "token-input", type: "password", autocomplete: "off", spellcheck: false, maxLength: 16_384,
    });
    this.#problem = element("p", { id: "token-problem", className: "error", hidden: true });
    this.#problem.setAttribute("role", "alert");
    const use = element("button", { type: "submit", id: "token-use", className: "primary" }, t("tokenUse"));
    this.#forget = element("button", { type: "button", id: "token-forget" }, t("tokenForget"));
    const cancel = element("button", { type: "button", id: "token-cancel" }, t("cancel"));
    const title = element("h2", { id: "token-title" }, t("tokenTitle"));
    const hint = element("p", { className: "hint" },
      t("tokenHint"));
    const label = element("label", { htmlFor: this.#input.id }, t("token"), this.#input);
    const form = element("form", { id: "token-form" }, title, hint, label, this.#problem,
      element("div", { className: "row" }, use, this.#forget, cancel));
    this.#dialog = element("dialog", { id: "token-dialog" }, form);
    this.#dialog.setAttribute("aria-labelledby", title.id);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#take(cleaned(this.#input.value));
    });
    this.#forget.addEventListener("click", () => this.#keep(undefined));
    cancel.addEventListener("click", () => this.#dialog.close());
    this.#dialog.addEventListener("close", () => { this.#input.value = ""; });
    document.body.append(this.#dialog);
  }

  #ask(problem) {
    this.#forget.hidden = this.#token === undefined;
    this.#complain(problem);
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#input.focus();
  }

  #complain(problem) {
    this.#problem.textContent = problem ?? "";
    this.#problem.hidden = !problem;
  }

  #take(token) {
    // What no header can carry would look like a daemon that does not answer.
    if (token === "") return this.#complain(t("tokenPaste"));
    if (!/^[\x21-\x7e]+$/.test(token)) {
      return this.#complain(t("tokenLetters"));
    }
    this.#keep(token);
  }

  #keep(token) {
    try {
      if (token === undefined) sessionStorage.removeItem(storageKey);
      else sessionStorage.setItem(storageKey, token);
    } catch {
      return this.#complain(t("tokenNotKept"));
    }
    location.reload();
  }
}

/** One for the whole page. */
export const identity = new Identity();
