import type { Charged } from "../../terms/fault.ts";
import type { LeftBehind, LeftLog } from "./ports.ts";

/**
 * What killed processes had used, once the journal says what became of the requests that they had not settled: one that
 * was not charged had used nothing. What the journal does not know keeps what it has reserved.
 * @param chargeOf what the journal says of a request; `null` if nothing
 */
export async function settleLeft(
  left: readonly LeftLog[],
  chargeOf: (id: string) => Promise<Charged | null>,
): Promise<readonly LeftBehind[]> {
  return Promise.all(
    left.map(async ({ start, sequence, counts }) => ({
      start,
      sequence,
      counts: await Promise.all(
        counts.map(async ({ open, used, ...use }) => {
          const free = await Promise.all(
            open.map(async ({ id, units }) => ((await chargeOf(id)) === "no" ? units : 0n)),
          );
          return { ...use, used: free.reduce((left, units) => left - units, used) };
        }),
      ),
    })),
  );
}
