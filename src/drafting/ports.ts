/** The parts of the service that writing and trying sources uses. */
import type { Act, AuditTrail } from "../admin/ports.ts";
import type { CallReport, CredentialFinder, RunnableSource } from "../run/ports.ts";
import type { Reply } from "../sdk/http.ts";
import type { CaseParts } from "../simulation/ports.ts";
import type { Context } from "../terms/caller.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { JsonObject } from "../terms/json/json.ts";

/** The user of the terminal, or a program in its place. */
export interface Terminal {
  /** Whether a person can answer questions. */
  readonly interactive: boolean;
  /** Reads one line, without its line break; `null` at the end of input. */
  ask(question: string): Promise<string | null>;
  /** Reads all of standard input. @throws OperatorError if it is too long */
  readAll(): Promise<string>;
}

export interface AuthoringTools {
  /** The project folder, if there is one. */
  readonly project: string | undefined;
  /** The problems of files without a usable source, each a sentence. */
  readonly problems: readonly string[];
  fileOf(id: string): SourceFileRef | undefined;
  /** The parts for running cases. */
  readonly cases: CaseParts;
  /** The version of the service. */
  version(): string;
  /** Compiles the text of a declarative source as the service would. @throws Error that names file, line and column */
  compile(text: string, file: string): RunnableSource;
  /** Makes a real call to a vendor, through the outbound client and the steps of a run. It may be billed. */
  askLive(question: LiveQuestion): Promise<LiveAnswer>;
}

export interface SourceFileRef {
  readonly path: string;
  readonly from: "catalog" | "project";
}

export interface LiveQuestion {
  /** Recorded in the audit trail and passed to the source. A vendor that stores references can find the call by it. */
  readonly transactionId: string;
  readonly source: RunnableSource;
  readonly finder: CredentialFinder;
  readonly organizationId: string;
  readonly credentialId: string | undefined;
  readonly context: Context;
  readonly inputs: JsonObject;
}

/** The parts of a real call to a vendor. Each is opened just before the call. */
export interface LiveCallParts {
  /** The verb that makes the call, as recorded in the audit trail. */
  readonly act: Act;
  readonly clock: Clock;
  trail(): Promise<Pick<AuditTrail, "recordAct">>;
  /**
   * The organization whose credentials the call may use: the named one, or the owner of the named credential.
   * @throws OperatorError if it does not exist
   */
  owner(): Promise<string | null>;
  finder(): Promise<CredentialFinder>;
  askLive(question: LiveQuestion): Promise<LiveAnswer>;
  /** Prints a remark at once. */
  note(sentence: string): void;
}

export interface LiveAnswer {
  readonly report: CallReport;
  /** `null` if the call failed; the report has the reason. */
  readonly output: JsonObject | null;
  /** The vendor's replies, in order, that the source received. */
  readonly replies: readonly Reply[];
}
