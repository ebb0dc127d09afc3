import { Fault } from "../../../terms/fault.ts";

/** The same failure, which then says nothing of what any request was charged. */
export function unreported({ code, detail, cause }: Fault): Fault {
  return new Fault(code, detail, { cause });
}
