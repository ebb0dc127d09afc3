import { close, open } from "node:fs";
import type { Clock } from "../terms/time/clock.ts";

const EVERY_MS = 2_000;

/**
 * Calls `exhausted` when the process can open no more files. The operating system then closes new connections without
 * the service noticing.
 */
export function watchFiles(exhausted: () => void, clock: Clock): { close(): void } {
  let cancel = clock.after(EVERY_MS, look, "loose");
  let isClosed = false;
  function look(): void {
    open("/dev/null", (error, descriptor) => {
      if (error === null) close(descriptor, () => {});
      else if (error.code === "EMFILE" || error.code === "ENFILE") exhausted();
      if (!isClosed) cancel = clock.after(EVERY_MS, look, "loose");
    });
  }
  return {
    close() {
      isClosed = true;
      cancel();
    },
  };
}
