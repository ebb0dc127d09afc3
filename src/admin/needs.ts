import type { AuthoringTools } from "./authoring/ports.ts";
import type { Terminal } from "../drafting/ports.ts";
import type { RotationParts } from "../credentials/rotate-keys.ts";
import type { Drained } from "../ledger/drain/drain-journal.ts";
import type { LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import type { Clock } from "../terms/time/clock.ts";
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
  LockedCatalogs,
  RestoredStore,
  RunService,
  ServiceState,
  SourceListing,
  StoredVersions,
} from "./ports.ts";

/** The arguments of every verb. */
export interface VerbBasics {
  readonly clock: Clock;
  /** The actor recorded in the audit trail. */
  readonly actor: Actor;
  /** The entry under which the verb's changes are recorded: its name, the actor, and one time. */
  readonly act: Act;
  /** Prints a remark for a person at once. Never part of the result. */
  note(sentence: string): void;
  /** Reports progress to a person. For work that may take longer than a second. */
  readonly onProgress: OnProgress;
}

/**
 * The needs that a verb may name. They are functions, so that nothing is opened before the verb uses it. A new need is
 * a line here and one in `composition/verb-needs/needs-of.ts`, which makes it of the parts of a deployment.
 */
export interface VerbNeeds {
  store(): Promise<AdminStore>;
  /** @param options.quiet the verb reports files that cannot be used itself; otherwise each is a remark */
  sources(options?: { readonly quiet: boolean }): Promise<SourceListing>;
  functions(): Promise<FunctionListing>;
  storedVersions(): Promise<StoredVersions>;
  /** The service on this data directory: the running one, or one started for this command. */
  service(): Promise<RunService>;
  /** The project folder, for new files. @throws OperatorError without a project folder */
  projectFolder(): string;
  /**
   * Writes the types of the project's sources for editors, and the compiler's configuration if there is none. Returns a
   * sentence for each new file, and for each that could not be written.
   */
  writeTypes(): Promise<readonly string[]>;
  /**
   * Compares the installed packages of sources with `datarun.lock`, and writes it.
   * @param write false to write nothing
   * @throws OperatorError for a package that cannot be used
   */
  lockCatalogs(write: boolean): Promise<LockedCatalogs>;
  /** The state of the service that the verb runs in; `null` in a terminal. */
  serviceState(): ServiceState | null;
  sealer(): Promise<CredentialSealer>;
  /**
   * The parts for rotating and verifying keys. `adopt`: the key of `DATARUN_ROOT_KEY` becomes the sealing key.
   * `unproven`: succeeds even if no stored data key can be opened; for verbs that seal nothing.
   */
  keys(how?: { readonly adopt?: boolean; readonly unproven?: boolean }): Promise<RotationParts>;
  /**
   * The shared ledger or, without a shared database, that of the data directory, whether or not its service is running.
   */
  ledger(): Promise<LedgerAnswers>;
  /**
   * All ledgers of this deployment that are reachable here: that of `ledger` and, if it is shared, this machine's
   * journal.
   */
  ledgersHere(): Promise<readonly LedgerHere[]>;
  /** Copies the runs in the data directory's journal to the shared ledger. */
  drainLedger(onProgress: OnProgress): Promise<Drained>;
  /** Copies the embedded store to the shared database, with its ledger. */
  copyStore(act: Act, onProgress: OnProgress): Promise<CopiedStore>;
  /** Copies the files that the data directory must not lose. A service may be running on it. */
  backUpStore(request: BackupOrder, onProgress: OnProgress): Promise<BackedUp>;
  /** Restores a backup into the data directory, which must be empty, and records that in the store. */
  restoreStore(folder: string, act: Act, onProgress: OnProgress): Promise<RestoredStore>;
  /** The region of this deployment's settings. */
  region(): string;
  /** The setting for the largest reply of a vendor, in bytes after decoding. */
  replyBytesMax(): number;
  /** The finder that runs use, so that `credential explain` shows the real choice. */
  finder(): Promise<ExplainingFinder>;
  /** The tools to write and try sources. They write files on this machine and call vendors. */
  authoring(): Promise<AuthoringTools>;
  /** The person at the terminal, or a program in their place. */
  terminal(): Terminal;
}

export interface LedgerHere {
  readonly place: "shared" | "journal";
  /** @throws OperatorError if the ledger cannot be opened */
  open(): Promise<Pick<LedgerAnswers, "functionActivity" | "verify">>;
}

export type Need = keyof VerbNeeds;

/** A verb's arguments when it runs: the basics, and exactly the needs that it names. */
export type VerbCall<Named extends Need = never> = VerbBasics & Pick<VerbNeeds, Named>;

/** The needs that a caller of verbs must provide: at least those that the verb names. */
export type GivenToVerbs = Omit<VerbBasics, "act" | "onProgress"> &
  Partial<Pick<VerbBasics, "onProgress">> &
  Partial<VerbNeeds>;
