/** The parts of the service that writing and testing sources uses. */
import type { DraftingTools } from "../../drafting/ports.ts";
import type { CallReport, CredentialFinder, RunnableSource } from "../../run/ports.ts";
import type { Reply } from "../../sdk/http.ts";
import type { Context } from "../../terms/caller.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import type { Clock } from "../../terms/time/clock.ts";
import type { Act, AuditTrail } from "../ports.ts";

/** The tools that draft and test sources. */
export interface AuthoringTools extends DraftingTools {
  /** Makes a real call to a vendor, through the outbound client and the steps of a run. It may be billed. */
  askLive(question: LiveQuestion): Promise<LiveAnswer>;
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
