import type { OlderJournal } from "./migrations.ts";

/** What the journal's thread is started with. */
export interface JournalSetup {
  readonly directory: string;
  /** Files of intents and outcomes with a lower number are of earlier lives: what only they hold is to be written down. */
  readonly recoverBefore: number;
  /** The thread has failed before, in this life of the service. */
  readonly afterFailure: boolean;
  readonly reserveBytes: number;
  readonly walBytesMax: number;
  readonly syncIntentsEveryMs: number;
  readonly faults: Int32Array | null;
}

/** To the thread. One message may carry several of these. */
export interface ToJournal {
  /** Run records, JSON texts joined by commas, the last of which has this number in the log of outcomes. */
  readonly records?: string;
  readonly last?: number;
  /** Intent files that have been written to since they were last synced. */
  readonly dirty?: readonly string[];
  /** The outbox has been drained up to here: note it, and delete what ended before `forgetBefore`. */
  readonly drained?: {
    readonly run: number;
    readonly wallAt: number;
    readonly forgetBefore: number;
    /** It was further once: the database has lost what follows. */
    readonly wentBack?: true;
    /** The run of this number was not taken, and is kept. */
    readonly setAside?: string;
  };
  readonly measure?: true;
  /** Who holds how many of the runs is asked. */
  readonly holders?: true;
  readonly stop?: true;
}

/** From the thread. */
export type FromJournal =
  /** Its tables are being written anew, which may take minutes. */
  | ({ readonly is: "migrating" } & OlderJournal)
  | { readonly is: "ready"; readonly recovered: Recovered; readonly next: number; readonly size: Measured }
  /** Every record up to this number is in the journal. */
  | { readonly is: "durable"; readonly last: number }
  | { readonly is: "measured"; readonly size: Measured }
  | { readonly is: "holders"; readonly runs: readonly (readonly [organizationId: string, runs: number])[] }
  | { readonly is: "synced" }
  /** Whether the reserve is in place, so that there is room for what new runs will have to write. */
  | { readonly is: "room"; readonly enough: boolean }
  | { readonly is: "failed"; readonly during: Doing; readonly code: string; readonly message: string }
  /** Runs could not be deleted, because of damage. */
  | { readonly is: "damaged"; readonly during: "prune" | "forget"; readonly message: string }
  | { readonly is: "stopped" };

export interface Measured {
  /** Of the journal, without what is free inside it. */
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
