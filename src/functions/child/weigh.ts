import { setTimeout as sleep } from "node:timers/promises";
import type ivm from "isolated-vm";

/** How long the memory of isolates that were let go may take to come back. */
const DROPPED_WITHIN_MS = 20;
/** How long a thread may take to come out of what it does. */
const ANSWER_WITHIN_MS = 60;

interface CanBeWeighed {
  weigh(): Promise<number | null>;
}

interface Weight {
  readonly id: number;
  readonly bytes: number | null;
}

/** Lets go of what no run uses, and says what the others hold. */
export async function weighAll(
  runs: ReadonlyMap<number, CanBeWeighed>,
  slots: { dropIdle(): number },
): Promise<Weight[]> {
  if (slots.dropIdle() > 0) await sleep(DROPPED_WITHIN_MS);
  return Promise.all([...runs].map(async ([id, run]) => ({ id, bytes: await run.weigh() })));
}

/** What an isolate holds: its heap, its buffers, and what V8 works with. `null` while a thread is busy in it. */
export function weighIsolate(isolate: ivm.Isolate): Promise<number | null> {
  const holds = isolate.getHeapStatistics().then(
    (heap) => heap.total_heap_size + heap.externally_allocated_size + heap.malloced_memory,
    () => null,
  );
  return Promise.race([holds, sleep(ANSWER_WITHIN_MS, null)]);
}
