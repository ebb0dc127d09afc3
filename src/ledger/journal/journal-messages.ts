/** The data that the journal's thread is started with. */
export interface JournalSetup {
  readonly directory: string;
  /**
   * Files of intents and outcomes with a lower number are from earlier processes: what only they contain is to be
   * written to the journal.
   */
  readonly recoverBefore: number;
  /** The thread has failed before, since the service started. */
  readonly afterFailure: boolean;
  readonly reserveBytes: number;
  readonly walBytesMax: number;
  readonly syncIntentsEveryMs: number;
  readonly faults: Int32Array | null;
}

/** Messages to the thread. One message may have several of these. */
export interface ToJournal {
  /** Run records, as JSON texts joined by commas; the last one has this number in the log of outcomes. */
  readonly records?: string;
  readonly last?: number;
  /** Intent files that were written to since they were last synced. */
  readonly dirty?: readonly string[];
  /** The outbox has been drained up to here: note it, and delete what started before `forgetBefore`. */
  readonly drained?: {
    readonly run: number;
    readonly wallAt: number;
    readonly forgetBefore: number;
    /** It was further before: the database has lost the runs after this one. */
    readonly wentBack?: true;
    /** Why the run with this number was not sent; it is kept. */
    readonly setAside?: string;
  };
  readonly measure?: true;
  /** Asks how much of the journal each organization has. */
  readonly holders?: true;
  readonly stop?: true;
}

/** From the thread. */
export type FromJournal =
  | { readonly is: "ready"; readonly recovered: Recovered; readonly next: number; readonly size: Measured }
  /** Every record up to this number is in the journal. */
  | { readonly is: "durable"; readonly last: number }
  | { readonly is: "measured"; readonly size: Measured }
  | { readonly is: "holders"; readonly bytes: readonly (readonly [organizationId: string, bytes: number])[] }
  | { readonly is: "synced" }
  /** Whether the reserve file exists, so that there is room for what new runs will write. */
  | { readonly is: "room"; readonly enough: boolean }
  | { readonly is: "failed"; readonly during: Doing; readonly code: string; readonly message: string }
  /** Runs could not be deleted, because of damage. */
  | { readonly is: "damaged"; readonly during: "prune" | "forget"; readonly message: string }
  | { readonly is: "stopped" };

export interface Measured {
  /** Of the journal, without free pages inside it. */
  readonly bytes: number;
  /** Of the file system it lies on. */
  readonly diskFreeBytes: number;
  readonly diskBytes: number;
}

export type Doing = "open" | "recovery" | "commit" | "sync";

export interface Recovered {
  readonly runs: number;
  readonly attempts: number;
  /** Lines that could not be read: pieces of a write that a power cut or a full disk had torn. */
  readonly unreadable: number;
  /** Outcomes in the log that were written whole and cannot be read. */
  readonly lost: number;
}
