import { setTimeout as sleep } from "node:timers/promises";
import type ivm from "isolated-vm";

/** How long the memory of disposed isolates may take to be returned. */
const DROPPED_WITHIN_MS = 20;
/** How long a busy thread may take to answer. */
const ANSWER_WITHIN_MS = 60;

interface CanBeWeighed {
  weigh(): Promise<number | null>;
}

interface Weight {
  readonly id: number;
  readonly bytes: number | null;
}

/** Disposes of the isolates without a run, and reports what the others hold. */
export async function weighAll(
  runs: ReadonlyMap<number, CanBeWeighed>,
  slots: { dropIdle(): number },
): Promise<Weight[]> {
  if (slots.dropIdle() > 0) await sleep(DROPPED_WITHIN_MS);
  return Promise.all([...runs].map(async ([id, run]) => ({ id, bytes: await run.weigh() })));
}

/** The bytes an isolate holds: its heap, its buffers, and V8's own memory. `null` while its thread is busy. */
export function weighIsolate(isolate: ivm.Isolate): Promise<number | null> {
  const holds = isolate.getHeapStatistics().then(
    (heap) => heap.total_heap_size + heap.externally_allocated_size + heap.malloced_memory,
    () => null,
  );
  return Promise.race([holds, sleep(ANSWER_WITHIN_MS, null)]);
}
