import { after } from "node:test";
import type { TestLife } from "../vendor/scripted-vendor.ts";

let cleanups: (() => unknown)[] | null = null;

/** The life of a test process, in which several files may run: for what they share, such as a browser. */
export const processLife: TestLife = {
  after(cleanup) {
    if (cleanups === null) after(() => cleanup() as Promise<void>);
    else cleanups.push(cleanup);
  },
};

/** Called by the runner: several files run in this process. The function returned ends what they share. */
export function shareProcess(): () => Promise<void> {
  const shared: (() => unknown)[] = [];
  cleanups = shared;
  return async () => {
    for (const cleanup of shared) await cleanup();
  };
}
