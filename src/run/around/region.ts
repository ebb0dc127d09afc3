import { regionFault } from "../../terms/regions.ts";
import type { Around } from "../ports.ts";

/** Refuses a source outside the regions that it declares, before anything else is done for the call. */
export const withRegion: Around = (next) => (source, call) => {
  const fault = regionFault("this source", source.declaration.regions, call.run.intent.region);
  return fault === null ? next(source, call) : Promise.reject(fault);
};
