import type { AuthoringTools, Terminal } from "./authoring/ports.ts";
import type { RotationParts } from "../credentials/rotate-keys.ts";
import type { Drained } from "../ledger/drain/drain-journal.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import type { Clock } from "../terms/clock.ts";
import type { OnProgress } from "../terms/on-progress.ts";
import type {
  Act,
  Actor,
  AdminStore,
  BackedUp,
  BackupOrder,
  CopiedStore,
  CredentialSealer,
  ExplainingFinder,
  FunctionListing,
  RestoredStore,
  RunService,
  ServiceState,
  SourceListing,
} from "./ports.ts";

/** What every verb gets. */
export interface VerbBasics {
  readonly clock: Clock;
  /** Who acts, as recorded in the audit trail. */
  readonly actor: Actor;
  /** Under this a verb's changes are recorded: its own name, the actor, and one moment. */
  readonly act: Act;
  /** Prints a remark for a person at once. Never part of the result. */
  note(sentence: string): void;
  /** Shows a person how far the verb is. For work that may take longer than a second. */
  readonly onProgress: OnProgress;
}

/**
 * What a verb may name in its `needs`. These are functions, so that nothing is opened before the verb asks for it. A
 * new kind of need is a line here and one in `commands/open-verbs.ts`, which opens it.
 */
export interface VerbNeeds {
  store(): Promise<AdminStore>;
  sources(): Promise<SourceListing>;
  functions(): Promise<FunctionListing>;
  /** The service on this data directory: the one that is running, or one that is started for this command. */
  service(): Promise<RunService>;
  /** The folder for the operator's new files. @throws OperatorError if there is no project folder */
  projectFolder(): string;
  /** The state of the service that the verb runs in; `null` in a terminal. */
  serviceState(): ServiceState | null;
  sealer(): Promise<CredentialSealer>;
  /**
   * What is needed to rotate and verify keys. `adopt`: the key of `DATARUN_ROOT_KEY` is to seal from now on.
   * `unproven`: allowed even if no stored data key can be opened; for verbs that seal nothing.
   */
  keys(how?: { readonly adopt?: boolean; readonly unproven?: boolean }): Promise<RotationParts>;
  /**
   * The ledger that all machines share or, without a shared database, that of the data directory, whether or not its
   * service is running.
   */
  ledger(): Promise<LedgerAnswers>;
  /**
   * All places with records of this deployment, as seen from here: that ledger and, if it is shared, this machine's
   * journal.
   */
  ledgersHere(): Promise<readonly LedgerHere[]>;
  /**
   * Copies what the data directory's journal still holds to the shared ledger; `again`: what was copied there before.
   */
  drainLedger(onProgress: OnProgress): Promise<Drained>;
  /** Copies the embedded store to the shared database, with its ledger. */
  copyStore(act: Act, onProgress: OnProgress): Promise<CopiedStore>;
  /** Copies what the data directory must not lose, while a service may be running on it. */
  backUpStore(request: BackupOrder, onProgress: OnProgress): Promise<BackedUp>;
  /** Puts a backup into the data directory, which is empty, and records that in the store. */
  restoreStore(folder: string, act: Act, onProgress: OnProgress): Promise<RestoredStore>;
  /** The region of this deployment, from its settings. */
  region(): string;
  /** The largest reply of a vendor that is read, in bytes after decoding, from its settings. */
  replyBytesMax(): number;
  /** The same finder that runs use, so that `credential explain` shows what really happens. */
  finder(): Promise<ExplainingFinder>;
  /** The tools to write and try sources. They write files on this machine and call vendors. */
  authoring(): Promise<AuthoringTools>;
  /** The person at the terminal, or a program in their place. */
  terminal(): Terminal;
}

export interface LedgerHere {
  readonly place: "shared" | "journal";
  /** @throws OperatorError if it cannot be opened */
  open(): Promise<Pick<LedgerAnswers, "verify">>;
}

export type Need = keyof VerbNeeds;

/** What a verb gets when it runs: what every verb gets, and of the rest exactly what it has named. */
export type VerbCall<Named extends Need = never> = VerbBasics & Pick<VerbNeeds, Named>;

/** What code that runs verbs must provide: at least what the verb has named. */
export type GivenToVerbs = Omit<VerbBasics, "act" | "onProgress"> &
  Partial<Pick<VerbBasics, "onProgress">> &
  Partial<VerbNeeds>;
