import { errors } from "undici";
import { Fault, faultCodeOfStatus, type FaultDetail } from "../../terms/fault.ts";

/** The fault a status is, for a status that is neither 2xx nor one the source reads itself. */
export function faultOfStatus(status: number): Fault {
  const code = faultCodeOfStatus(status);
  if (code !== null) return new Fault(code, { status });
  if (status >= 300 && status < 400) return contractFault("it is a redirect that is not followed", { status });
  return contractFault("its status is none that HTTP knows", { status });
}

export function contractFault(problem: string, detail: FaultDetail = {}): Fault {
  return new Fault("source.contract", { ...detail, problem });
}

const CONTRACT_PROBLEMS: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: "its header fields are too large",
  // Words of undici's own for an answer that switches protocols or says 100 unasked.
  "bad upgrade": "it switches to another protocol",
  "bad response": "it is not an answer to a request",
};

/**
 * What the end of a connection means once the request is out: whether the vendor acted on it, nobody can know.
 * `answering`: the header of an answer had been read.
 */
export function faultOfTransport(error: Error, answering: boolean): Fault {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const cause = withoutVendorBytes(error, code);
  const problem = CONTRACT_PROBLEMS[code] ?? CONTRACT_PROBLEMS[error.message];
  if (problem !== undefined) return new Fault("source.contract", { problem }, { cause });
  // The parser also complains when the connection ends within a message: that is a loss, not bad HTTP.
  const isBadHttp = error instanceof errors.HTTPParserError && !code.endsWith("INVALID_EOF_STATE");
  // Two lengths in one header are reported as a body that has neither.
  const isBadLength = error instanceof errors.ResponseContentLengthMismatchError && !answering;
  if (isBadHttp || isBadLength) return new Fault("source.contract", { problem: "it is not valid HTTP" }, { cause });
  return new Fault("source.connection_lost", {}, { cause });
}

/** The HTTP client hangs pieces of the answer and the socket on its errors; a log must not see them. */
function withoutVendorBytes(error: Error, code: string): Error {
  return Object.assign(new Error(error.message), code === "" ? {} : { code });
}
