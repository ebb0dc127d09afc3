import type { SourceWorkshop, Terminal } from "../authoring/ports.ts";
import type { RotationParts } from "../credentials/rotate-keys.ts";
import type { Drained } from "../ledger/drain/drain-journal.ts";
import type { Clock } from "../terms/clock.ts";
import type {
  Act,
  Actor,
  AdminStore,
  CopiedStore,
  CredentialSealer,
  ExplainingFinder,
  FunctionListing,
  LedgerQuestions,
  RunService,
  SourceListing,
} from "./ports.ts";

/**
 * The bag of things a verb may ask for by name. Functions, so that a verb pays only for what it uses: listing tokens
 * loads no project folder. Whoever adds a verb that needs something new adds a line here.
 */
export interface VerbDeps {
  readonly clock: Clock;
  /** Who acts, as the audit trail names them. */
  readonly actor: Actor;
  /** Tells a person something beside the result. Never part of the result. */
  note(sentence: string): void;
  store(): Promise<AdminStore>;
  sources(): Promise<SourceListing>;
  functions(): Promise<FunctionListing>;
  /** The service on this data directory: the one that runs, or one that is started for the length of the command. */
  service(): Promise<RunService>;
  /** Where new files of the operator's own go. @throws OperatorError when there is no project folder */
  projectFolder(): string;
  sealer(): Promise<CredentialSealer>;
  /**
   * What rotating and verifying keys works on. `adopt`: the key of `DATARUN_ROOT_KEY` shall be the one that seals.
   * `unproven`: also where nothing that is stored can be opened; for verbs that seal nothing.
   */
  keys(how?: { readonly adopt?: boolean; readonly unproven?: boolean }): Promise<RotationParts>;
  /** The ledger that all machines share or, without a shared database, that of the data directory, its service running or not. */
  ledger(): Promise<LedgerQuestions>;
  /** Carries what the data directory's journal still holds to the shared ledger; `again`: what it has carried there before. */
  drainLedger(again?: { readonly startedFrom: number }): Promise<Drained>;
  /** Copies the embedded store to the shared database, with its ledger. */
  copyStore(act: Act): Promise<CopiedStore>;
  /** The very finder that runs use, so that what `credential explain` says is what happens. */
  finder(): Promise<ExplainingFinder>;
  /** Where sources are written and tried. It belongs to a command line: it writes files and asks vendors. */
  readonly workshop?: () => Promise<SourceWorkshop>;
  /** The person at the terminal; absent where there is none. */
  readonly terminal?: Terminal;
}
