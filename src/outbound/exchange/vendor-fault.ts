import { Fault, faultCodeOfStatus, type FaultDetail } from "../../terms/fault.ts";
import { BadReplyError, type ReplyProblem } from "../wire/reply-head.ts";

/** The fault for a status that is neither 2xx nor one that the source handles itself. */
export function faultOfStatus(status: number): Fault {
  const code = faultCodeOfStatus(status);
  if (code !== null) return new Fault(code, { status });
  if (status >= 300 && status < 400) return contractFault("it is a redirect that is not followed", { status });
  return contractFault("its status is none that HTTP knows", { status });
}

export function contractFault(problem: string, detail: FaultDetail = {}): Fault {
  return new Fault("source.contract", { ...detail, problem });
}

const PROBLEMS: Readonly<Record<ReplyProblem, string>> = {
  not_http: "it is not valid HTTP",
  fields_too_large: "its header fields are too large",
  interim_flood: "it never comes to the point",
  upgrade: "it switches to another protocol",
};

/**
 * The fault for a connection that failed after the request was sent. Whether the vendor acted on the request is unknown.
 */
export function faultOfTransport(error: Error): Fault {
  if (error instanceof BadReplyError) {
    // A plain error, because a log prints the properties of a cause.
    const cause = new Error(error.message);
    return new Fault("source.contract", { problem: PROBLEMS[error.problem] }, { cause });
  }
  return new Fault("source.connection_lost", {}, { cause: error });
}
