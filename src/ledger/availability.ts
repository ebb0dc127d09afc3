import type { LedgerLog } from "./ports.ts";

/** Why no new run is accepted. Several causes can hold at once; runs are accepted again when none does. */
export type Cause = "starting" | "intent_file" | "outcome_log" | "journal" | "stalled" | "no_room" | "full" | "closed";

const MESSAGES: { readonly [cause in Cause]: string } = {
  starting: "the journal is being opened",
  intent_file: "the intent file cannot be written",
  outcome_log: "the log of outcomes cannot be written",
  journal: "the journal cannot be written",
  stalled: "the disk has acknowledged nothing for some time",
  no_room: "the disk has no room left",
  full: "the journal has reached its configured size",
  closed: "the service is ending",
};

/** The sentences are logged when a cause begins or ends, never for each run. */
export class Availability {
  readonly #causes = new Map<Cause, string>();
  readonly #log: LedgerLog;
  readonly #onChange: () => void;

  constructor(log: LedgerLog, onChange: () => void) {
    this.#log = log;
    this.#onChange = onChange;
    this.#causes.set("starting", MESSAGES.starting);
  }

  has(cause: Cause): boolean {
    return this.#causes.has(cause);
  }

  /** The oldest cause that still holds, as a sentence, or `null`. */
  get reason(): string | null {
    for (const sentence of this.#causes.values()) return sentence;
    return null;
  }

  raise(cause: Cause, code = ""): void {
    if (this.#causes.has(cause)) return;
    this.#causes.set(cause, code === "" ? MESSAGES[cause] : `${MESSAGES[cause]} (${code})`);
    if (cause !== "closed") this.#log.error({ event: "ledger_unavailable", cause, code }, MESSAGES[cause]);
    this.#onChange();
  }

  clear(cause: Cause): void {
    if (!this.#causes.delete(cause)) return;
    if (cause !== "starting")
      this.#log.info({ event: "ledger_recovered", cause }, "a reason for refusing runs is gone");
    this.#onChange();
  }
}
