// Whose ticket this tab watches, and where those around were shown: kept over a reload, in the tab's
// session storage alone, until the ticket has ended.

const storageKey = "moyeo.ticket";

export const keptTicket = {
  /** `{userId, people}`, or undefined where nothing of use is kept. */
  read() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(storageKey));
      return typeof kept?.userId === "string" && Array.isArray(kept.people) ? kept : undefined;
    } catch {
      return undefined;
    }
  },

  write(kept) {
    try {
      sessionStorage.setItem(storageKey, JSON.stringify(kept));
    } catch {
      // Not kept then: after a reload it is as if nobody had waited here.
    }
  },

  forget() {
    try {
      sessionStorage.removeItem(storageKey);
    } catch {
      // Where nothing may be kept, nothing was.
    }
  },
};
