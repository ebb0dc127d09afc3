/** What writing and trying sources needs from the rest of the service. */
import type { Act, AuditTrail } from "../ports.ts";
import type { CallReport, CredentialFinder, RunnableSource } from "../../run/ports.ts";
import type { Reply } from "../../sdk/http.ts";
import type { CaseParts } from "../../simulation/ports.ts";
import type { Context } from "../../terms/caller.ts";
import type { Clock } from "../../terms/clock.ts";
import type { JsonObject } from "../../terms/json.ts";

/** The person who gave the command, or a program in their place. */
export interface Terminal {
  /** Whether a person is there to answer. */
  readonly interactive: boolean;
  /** Returns one line, without its end; `null` at the end of input. */
  ask(question: string): Promise<string | null>;
  /** Returns all of standard input. @throws OperatorError if it is too long */
  readAll(): Promise<string>;
}

export interface AuthoringTools {
  /** The project folder, if there is one. */
  readonly project: string | undefined;
  /** Files without a usable source, each with its problem in a sentence. */
  readonly problems: readonly string[];
  fileOf(id: string): SourceFile | undefined;
  /** What running cases needs. */
  readonly cases: CaseParts;
  /** The version of the service. */
  version(): string;
  /** Compiles the text of a declarative source as the service would. @throws Error that names file, line and column */
  compile(text: string, file: string): RunnableSource;
  /** Makes a real call to a vendor, through the outbound client and the steps of a run. It may be billed. */
  askLive(question: LiveQuestion): Promise<LiveAnswer>;
}

export interface SourceFile {
  readonly path: string;
  readonly from: "catalog" | "project";
}

export interface LiveQuestion {
  /** Recorded in the audit trail and given to the source: a vendor that keeps references can find the call by it. */
  readonly transactionId: string;
  readonly source: RunnableSource;
  readonly finder: CredentialFinder;
  readonly organizationId: string;
  readonly credentialId: string | undefined;
  readonly context: Context;
  readonly inputs: JsonObject;
}

/** What a real call to a vendor needs. Each part is opened just before the call. */
export interface LiveCallParts {
  /** The verb that makes the call, as recorded in the audit trail. */
  readonly act: Act;
  readonly clock: Clock;
  trail(): Promise<Pick<AuditTrail, "recordAct">>;
  /**
   * The organization whose credentials the call may use: the one named, or the owner of the named credential. @throws
   * OperatorError if it does not exist
   */
  owner(): Promise<string | null>;
  finder(): Promise<CredentialFinder>;
  askLive(question: LiveQuestion): Promise<LiveAnswer>;
  /** Tells the operator at once. */
  note(sentence: string): void;
}

export interface LiveAnswer {
  readonly report: CallReport;
  /** `null` if the call failed; the report says how. */
  readonly output: JsonObject | null;
  /** The vendor's replies, in order, as far as the source received them. */
  readonly replies: readonly Reply[];
}
