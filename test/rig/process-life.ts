import { AsyncResource } from "node:async_hooks";
import { after } from "node:test";
import type { TestLife } from "../vendor/scripted-vendor.ts";

/** Hooks belong to the test or suite in whose asynchronous context they are registered. This context is of none. */
const outsideTests = new AsyncResource("test process", { triggerAsyncId: 1 });

/** The life of a test process, in which several files may run: for what they share, such as a browser. */
export const processLife: TestLife = {
  after: (cleanup) => outsideTests.runInAsyncScope(() => after(() => cleanup() as Promise<void>)),
};
