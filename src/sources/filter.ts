import { freezeDeep } from "../terms/freeze-deep.ts";
import type { JsonObject } from "../terms/json.ts";

/** Reduces a request's inputs to the names a source declares. */
export type InputFilter = (inputs: JsonObject) => JsonObject;

/**
 * Makes the filter for a list of names. What it returns is frozen through and through and has no prototype, so that no
 * source can change what another one sees and `toString` is a name like any other.
 */
export function createFilter(names: readonly string[]): InputFilter {
  return (inputs) => {
    const kept: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const name of names) {
      // The request's nested values are shared by all its sources, hence frozen once, where they are.
      if (Object.hasOwn(inputs, name)) kept[name] = freezeDeep(inputs[name]);
    }
    return Object.freeze(kept) as JsonObject;
  };
}
