import type { Clock } from "../../terms/clock.ts";
import { asFault } from "../../terms/fault.ts";
import { collectAnswer } from "../collect.ts";
import type { Answer, MakeArgument, RunSource } from "../ports.ts";

/** The innermost step: the adapter itself. Whatever it throws, at once or later, becomes a fault of this call. */
export function callAdapter(clock: Clock, makeArgument: MakeArgument): RunSource {
  return async (source, call): Promise<Answer> => {
    let returned: unknown;
    try {
      returned = await source.declaration.run(makeArgument(source, call, call.inputs));
    } catch (thrown) {
      throw asFault(thrown, "source.adapter_raised");
    }
    return collectAnswer(returned, clock);
  };
}
