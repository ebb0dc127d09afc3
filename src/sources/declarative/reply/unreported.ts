import { Fault } from "../../../terms/fault.ts";

/** The same failure, without a statement about the charge of any request. */
export function unreported({ code, detail, cause }: Fault): Fault {
  return new Fault(code, detail, { cause });
}
