import { close, open } from "node:fs";
import type { Clock } from "../terms/time/clock.ts";
import { repeat } from "../terms/time/repeat.ts";

const EVERY_MS = 2_000;

/**
 * Calls `exhausted` when the process can open no more files, until the returned function is called. The operating
 * system then closes new connections without the service noticing.
 */
export function watchFiles(exhausted: () => void, clock: Clock): () => void {
  const look = (done: () => void): void =>
    open("/dev/null", (error, descriptor) => {
      if (error === null) close(descriptor, () => {});
      else if (error.code === "EMFILE" || error.code === "ENFILE") exhausted();
      done();
    });
  return repeat(clock, { firstMs: EVERY_MS, everyMs: EVERY_MS }, () => new Promise<void>(look));
}
