import type { AuthoringTools, Terminal } from "./authoring/ports.ts";
import type { RotationParts } from "../credentials/rotate-keys.ts";
import type { Drained } from "../ledger/drain/drain-journal.ts";
import type { LedgerReader } from "../ledger/read/ledger-reader.ts";
import type { Clock } from "../terms/clock.ts";
import type {
  Act,
  Actor,
  AdminStore,
  CopiedStore,
  CredentialSealer,
  ExplainingFinder,
  FunctionListing,
  RunService,
  SourceListing,
} from "./ports.ts";

/** What every verb is given. */
export interface VerbBasics {
  readonly clock: Clock;
  /** Who acts, as the audit trail names them. */
  readonly actor: Actor;
  /** What a verb's changes are recorded under: its own name, the actor, and one moment. */
  readonly act: Act;
  /** Tells a person something beside the result. Never part of the result. */
  note(sentence: string): void;
}

/**
 * What a verb may name in its `needs`. Functions, so that a verb pays only for what it uses: nothing is opened before it
 * asks. Whoever adds a verb that needs something new adds a line here, and what opens it to `commands/open-verbs.ts`.
 */
export interface VerbNeeds {
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
  ledger(): Promise<LedgerReader>;
  /** Wherever this deployment has records as seen from here: that ledger and, where it is shared, this machine's journal. */
  ledgersHere(): Promise<readonly LedgerHere[]>;
  /** Carries what the data directory's journal still holds to the shared ledger; `again`: what it has carried there before. */
  drainLedger(again?: { readonly startedFrom: number }): Promise<Drained>;
  /** Copies the embedded store to the shared database, with its ledger. */
  copyStore(act: Act): Promise<CopiedStore>;
  /** The very finder that runs use, so that what `credential explain` says is what happens. */
  finder(): Promise<ExplainingFinder>;
  /** With what sources are written and tried. It writes files on this machine and asks vendors. */
  authoring(): Promise<AuthoringTools>;
  /** The folder that a path in the input is meant from: for verbs that make files where the person is who gave the command. */
  workingFolder(): string;
  /** The person at the terminal, or the program that stands in for one. */
  terminal(): Terminal;
}

export interface LedgerHere {
  readonly place: "shared" | "journal";
  /** @throws OperatorError when it cannot be opened */
  open(): Promise<Pick<LedgerReader, "verify">>;
}

export type Need = keyof VerbNeeds;

/** What a run of a verb is given: what every verb is and, of the rest, exactly what it has named. */
export type VerbCall<Named extends Need = never> = VerbBasics & Pick<VerbNeeds, Named>;

/** What whoever runs verbs has to give: at least what the verb at hand has named. */
export type GivenToVerbs = Omit<VerbBasics, "act"> & Partial<VerbNeeds>;
