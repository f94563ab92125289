// Nothing is done to anybody before a dialog has said what it means and has been given a reason. What
// the daemon refuses is said in the dialog, which stays open for another try.

import { idempotencyKey } from "./api.js";
import { make } from "./text.js";

const week = 7 * 86_400_000;

/** As an `input` of a moment has it, in the browser's own zone. */
function local(date) {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/**
 * Asks for a reason and carries out.
 *
 * @param title what is done to whom, an element or a text.
 * @param sentence what that means.
 * @param verb of the button that does it.
 * @param until whether the end of a ban is asked for.
 * @param warning what has to be ticked first, for what nobody can undo.
 * @param act does it with `(body, key)`; what it throws is shown.
 * @returns what `act` answered; undefined if nothing was done.
 */
export function confirm({ title, sentence, verb, until = false, warning, act }) {
  const heading = make("h2", { id: "confirm-title" }, title);
  const reason = make("input", {
    id: "confirm-reason", required: true, maxLength: 500, autocomplete: "off",
  });
  const end = make("input", {
    id: "confirm-until", type: "datetime-local", required: true,
    min: local(new Date()), value: local(new Date(Date.now() + week)),
  });
  const tick = make("input", { id: "confirm-warning", type: "checkbox", required: true });
  const problem = make("p", { id: "confirm-problem", className: "error", hidden: true });
  problem.setAttribute("role", "alert");
  const go = make("button", { type: "submit", id: "confirm-go", className: "danger" }, verb);
  const cancel = make("button", { type: "button", id: "confirm-cancel" }, "Cancel");
  const form = make("form", {}, heading, make("p", { className: "hint" }, sentence),
    until ? make("label", { htmlFor: end.id }, "Until", end) : undefined,
    make("label", { htmlFor: reason.id }, "Reason, which the record keeps", reason),
    warning === undefined
      ? undefined : make("label", { htmlFor: tick.id, className: "check" }, tick, warning),
    problem, make("div", { className: "row" }, go, cancel));
  const dialog = make("dialog", { id: "confirm" }, form);
  dialog.setAttribute("aria-labelledby", heading.id);
  const opener = document.activeElement;
  return new Promise((resolve) => {
    let answer;
    let sent;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const body = { reason: reason.value.trim() };
      if (until) body.until = new Date(end.value).toISOString();
      const text = JSON.stringify(body);
      // The same try again has its effect once; another one is another command.
      if (sent?.text !== text) sent = { text, key: idempotencyKey() };
      go.disabled = true;
      try {
        answer = await act(body, sent.key);
        dialog.close();
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
      }
      go.disabled = false;
    });
    cancel.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (opener?.isConnected) opener.focus();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    reason.focus();
  });
}
