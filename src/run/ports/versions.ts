/** Versions of functions and sources other than the loaded ones, which workflows name. */
import type { RunnableFunction } from "./functions.ts";
import type { RunnableSource } from "./sources.ts";

/**
 * Finds a version by its digest. Returns a plain value if it is in memory, so that the common case does not wait. Rejects
 * with the Fault of the call or function, `*.version_unavailable` or `*.version_unusable`, within a few seconds.
 */
export interface VersionLoader {
  /** @param loaded the loaded version of the same source, whose limits hold for all versions */
  source(loaded: RunnableSource, digest: string): RunnableSource | Promise<RunnableSource>;
  function(loaded: RunnableFunction, digest: string): RunnableFunction | Promise<RunnableFunction>;
}
