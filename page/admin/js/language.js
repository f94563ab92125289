// The words of the dialog that asks for a token, which this page shares with the map page
// (page/js/token.js); it is served here beside this file and takes its words from it.

const texts = {
  callAs: "You call as {name}.",
  callWithToken: "You call with a token.",
  cancel: "Cancel",
  changeToken: "Change token",
  giveToken: "Give a token",
  openMode: "Open mode: everybody on this machine may do everything.",
  token: "Token",
  tokenExpired: "Your token has expired: get a new one and give it here.",
  tokenForbidden: "Your token may not do everything here: {message}.",
  tokenForget: "Forget it",
  tokenHint:
    "An access token or an API key of this service. This tab keeps it until it is closed.",
  tokenLetters: "A token has letters, digits and signs, and no spaces or line breaks.",
  tokenNeeded: "This service asks who you are: give it a token.",
  tokenNotKept: "This browser lets no page keep anything: allow site data for it.",
  tokenPaste: "Paste a token first.",
  tokenRefused: "The service does not take this token: {message}.",
  tokenTitle: "Who are you?",
  tokenUse: "Use it",
};

/** A text by its name, with `values` for what stands in braces. */
export const t = (name, values = {}) =>
  texts[name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
