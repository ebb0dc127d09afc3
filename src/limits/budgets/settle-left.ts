import type { Charged } from "../../terms/fault.ts";
import type { LeftBehind, LeftLog } from "./ports.ts";

/**
 * The use of killed processes, after the journal has shown the results of their open requests: a request without a
 * charge used nothing. Requests that are not in the journal keep their reservation.
 * @param chargeOf the charge of a request by the journal; `null` if unknown
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
