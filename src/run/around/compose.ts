import type { Around, RunSource } from "../ports.ts";

/** Composes the stack around a call, outermost first, once at the start of the service. */
export function compose(around: readonly Around[], innermost: RunSource): RunSource {
  return around.reduceRight((next, wrap) => wrap(next), innermost);
}
