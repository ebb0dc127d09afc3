import { setTimeout as sleep } from "node:timers/promises";
import type ivm from "isolated-vm";
import type { Weight } from "../pool/messages.ts";

/** How long the memory of disposed isolates may take to be returned. */
const DROPPED_WITHIN_MS = 20;
/** How long a busy thread may take to answer. */
const ANSWER_WITHIN_MS = 60;

interface CanBeWeighed {
  weigh(): Promise<Omit<Weight, "id">>;
}

/** Disposes of the isolates without a run, and reports what the others hold. */
export async function weighAll(
  runs: ReadonlyMap<number, CanBeWeighed>,
  slots: { dropIdle(): number },
): Promise<Weight[]> {
  if (slots.dropIdle() > 0) await sleep(DROPPED_WITHIN_MS);
  return Promise.all([...runs].map(async ([id, run]) => ({ id, ...(await run.weigh()) })));
}

/** The bytes an isolate holds. `null` while its thread is busy. */
export function weighIsolate(isolate: ivm.Isolate): Promise<number | null> {
  const holds = bytesOf(isolate).catch(() => null);
  return Promise.race([holds, sleep(ANSWER_WITHIN_MS, null)]);
}

/** Its heap, its buffers, and V8's own memory, as soon as its thread answers. */
export async function bytesOf(isolate: ivm.Isolate): Promise<number> {
  const heap = await isolate.getHeapStatistics();
  return heap.total_heap_size + heap.externally_allocated_size + heap.malloced_memory;
}
