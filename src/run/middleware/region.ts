import { regionFault } from "../../terms/regions.ts";
import type { CallMiddleware } from "../ports.ts";

/** Refuses a source outside the regions that it declares, before anything else is done for the call. */
export const withRegion: CallMiddleware = (next) => (source, call) => {
  const fault = regionFault("this source", source.declaration.regions, call.run.intent.region);
  return fault === null ? next(source, call) : Promise.reject(fault);
};
