/** What writing and trying sources needs of the world. */
import type { Act, AuditTrail } from "../ports.ts";
import type { CallReport, CredentialFinder, RunnableSource } from "../../run/ports.ts";
import type { Reply } from "../../sdk/http.ts";
import type { CaseParts } from "../../simulation/ports.ts";
import type { Context } from "../../terms/caller.ts";
import type { Clock } from "../../terms/clock.ts";
import type { JsonObject } from "../../terms/json.ts";

/** The person who gave the command, or the program that stands in for one. */
export interface Terminal {
  /** Whether somebody is there to answer. */
  readonly interactive: boolean;
  /** One line, without its end; `null` when nothing more comes. */
  ask(question: string): Promise<string | null>;
  /** All of standard input. @throws OperatorError when it is too much */
  readAll(): Promise<string>;
}

export interface AuthoringTools {
  /** The project folder, if there is one. */
  readonly project: string | undefined;
  /** Files that hold no usable source, in a sentence each. */
  readonly problems: readonly string[];
  fileOf(id: string): SourceFile | undefined;
  /** What running cases needs. */
  readonly cases: CaseParts;
  /** Which version of the service this is. */
  version(): string;
  /** Reads the text of a declarative source as the service would. @throws Error that says file, line and column */
  compile(text: string, file: string): RunnableSource;
  /** Asks a vendor for real, through the door and the steps of a run. It can be billed. */
  askLive(question: LiveQuestion): Promise<LiveAnswer>;
}

export interface SourceFile {
  readonly path: string;
  readonly from: "catalog" | "project";
}

export interface LiveQuestion {
  /** Stands in the audit trail, and is what the source is told: a vendor that keeps references can be asked by it. */
  readonly transactionId: string;
  readonly source: RunnableSource;
  readonly finder: CredentialFinder;
  readonly organizationId: string;
  readonly credentialId: string | undefined;
  readonly context: Context;
  readonly inputs: JsonObject;
}

/** What asking a vendor for real needs of the world. Each is opened when the call is about to be made. */
export interface LiveCallParts {
  /** The verb that asks, as the audit trail names it. */
  readonly act: Act;
  readonly clock: Clock;
  trail(): Promise<Pick<AuditTrail, "recordAct">>;
  /** Whose credentials the call may use: the organization that was named, or the one whose credential was. @throws OperatorError where there is none such */
  owner(): Promise<string | null>;
  finder(): Promise<CredentialFinder>;
  askLive(question: LiveQuestion): Promise<LiveAnswer>;
}

export interface LiveAnswer {
  readonly report: CallReport;
  /** `null` when the call failed; the report says how. */
  readonly output: JsonObject | null;
  /** What the vendor answered, in order, as far as the source saw it. */
  readonly replies: readonly Reply[];
}
