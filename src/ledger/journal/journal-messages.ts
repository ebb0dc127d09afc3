/** The start data of the journal's thread. */
export interface JournalSetup {
  readonly directory: string;
  /**
   * Files of intents and outcomes with a lower number are from earlier processes. Data that is only in them must be
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

/** A message to the thread. It may have several of these fields. */
export interface ToJournal {
  /** Run records, as JSON texts joined by commas; the last one has this number in the log of outcomes. */
  readonly records?: string;
  readonly last?: number;
  /** Intent files that were written to since they were last synced. */
  readonly dirty?: readonly string[];
  /** The outbox has been drained up to here. Record it, and delete runs that started before `forgetBefore`. */
  readonly drained?: {
    readonly run: number;
    readonly wallAt: number;
    readonly forgetBefore: number;
    /** The outbox was drained further before: the database has lost later runs. */
    readonly wentBack?: true;
    /** Why the run with this number was not sent; the run stays. */
    readonly setAside?: string;
  };
  readonly measure?: true;
  /** Requests the bytes of each organization in the journal. */
  readonly holders?: true;
  readonly stop?: true;
}

/** A message from the thread. */
export type FromJournal =
  | { readonly is: "ready"; readonly recovered: Recovered; readonly next: number; readonly size: Measured }
  /** Every record up to this number is in the journal. */
  | { readonly is: "durable"; readonly last: number }
  | { readonly is: "measured"; readonly size: Measured }
  | { readonly is: "holders"; readonly bytes: readonly (readonly [organizationId: string, bytes: number])[] }
  | { readonly is: "synced" }
  /** Whether the reserve file exists, so that there is space for the records of new runs. */
  | { readonly is: "space"; readonly enough: boolean }
  | { readonly is: "failed"; readonly during: Doing; readonly code: string; readonly message: string }
  /** Runs could not be deleted, because of damage. */
  | { readonly is: "damaged"; readonly during: "prune" | "forget"; readonly message: string };

export interface Measured {
  /** Bytes of the journal, without free pages inside it. */
  readonly bytes: number;
  /** Of the journal's file system. */
  readonly diskFreeBytes: number;
  readonly diskBytes: number;
}

export type Doing = "open" | "recovery" | "commit" | "sync";

export interface Recovered {
  readonly runs: number;
  readonly attempts: number;
  /** Unreadable lines: pieces of a write that a power cut or a full disk had torn. */
  readonly unreadable: number;
  /** Outcomes that were written completely and are unreadable now. */
  readonly lost: number;
}
