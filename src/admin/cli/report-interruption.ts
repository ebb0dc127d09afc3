import type { CommandIo } from "./command-io.ts";
import type { ShownProgress } from "./progress.ts";

/** On an interrupt, prints the progress so far and what becomes of the work. */
export async function reportInterruption<Result>(
  becomes: string | null,
  progress: ShownProgress,
  io: CommandIo,
  work: () => Promise<Result>,
): Promise<Result> {
  const forget =
    becomes === null ? undefined : io.onInterrupt?.(() => progress.note(`Interrupted${progress.soFar()}. ${becomes}`));
  try {
    return await work();
  } finally {
    forget?.();
    progress.end();
  }
}
