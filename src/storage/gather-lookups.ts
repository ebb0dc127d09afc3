import type { Clock } from "../terms/clock.ts";
import { LOOKUP_MS_MAX } from "./answer-in-time.ts";

/** Keys asked for in one question. */
const KEYS_MAX = 500;
/** Questions under way at once. A second one, so that one that hangs does not keep all others back. */
const QUESTIONS_MAX = 2;

interface Asked<Row> {
  readonly resolve: (row: Row | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks rows up by a key, those of one turn and those that came while questions were under way by one question. So a
 * flood of keys, which all differ and of which none exists, takes a handful of questions, and who asks among them for one
 * that does exist waits as long as everybody else: for the question before its own.
 *
 * @param ask gives the rows that there are, in any order
 */
export function gatherLookups<Row>(
  clock: Clock,
  keyOf: (row: Row) => string,
  ask: (keys: readonly string[]) => Promise<readonly Row[]>,
): (key: string) => Promise<Row | null> {
  const waiting = new Map<string, Asked<Row>[]>();
  let underWay = 0;
  let begins = false;

  async function question(asked: ReadonlyMap<string, readonly Asked<Row>[]>): Promise<void> {
    underWay += 1;
    let over = false;
    const leave = () => {
      if (over) return;
      over = true;
      underWay -= 1;
      begin();
    };
    // Nobody waits for one that takes longer: the next may go on.
    const cancel = clock.after(LOOKUP_MS_MAX, leave);
    try {
      const rows = new Map((await ask([...asked.keys()])).map((row) => [keyOf(row), row]));
      for (const [key, askers] of asked) for (const { resolve } of askers) resolve(rows.get(key) ?? null);
    } catch (error) {
      for (const askers of asked.values()) for (const { reject } of askers) reject(error);
    }
    cancel();
    leave();
  }

  function begin(): void {
    if (begins || waiting.size === 0 || underWay >= QUESTIONS_MAX) return;
    begins = true;
    // All that is asked in this turn of the event loop goes together.
    setImmediate(() => {
      begins = false;
      const keys = [...waiting].slice(0, KEYS_MAX);
      for (const [key] of keys) waiting.delete(key);
      if (keys.length > 0) void question(new Map(keys));
      begin();
    });
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const askers = waiting.get(key);
      if (askers === undefined) waiting.set(key, [{ resolve, reject }]);
      else askers.push({ resolve, reject });
      begin();
    });
}
