// Requests to join a ride whose host decides: the host approves or declines each, riders take their own
// back.

import { button, make } from "./elements.js";
import { moment, person } from "./format.js";
import { t } from "./language.js";

/**
 * The requests that wait, as a list with buttons; nothing where there are none.
 * @param me who looks.
 * @param act called with the request's id, the verb of the call and its body.
 */
export function waitingRequests({ joinRequests = [], hostId }, me, act) {
  const pending = joinRequests.filter(({ state }) => state === "pending");
  if (pending.length === 0) return "";
  const rows = pending.map(({ id, riderId, expiresAt }) => {
    const choice = (verb, text, body) =>
      button({ className: `request-${verb}` }, text, () => act(id, verb, body));
    return make("li", {},
      make("span", {}, person(riderId),
        make("small", {}, t("asksToJoin", { time: moment(new Date(expiresAt)) }))),
      ...(hostId === me ? [
        choice("approve", t("approve"), { hostId: me }),
        choice("decline", t("declineRequest"), { hostId: me }),
      ] : []),
      ...(riderId === me ? [choice("withdraw", t("withdrawRequest"), { riderId: me })] : []));
  });
  const list = make("ul", { id: "party-requests", className: "party-riders" }, ...rows);
  list.setAttribute("aria-label", t("requestsGroup"));
  return list;
}
