import type { JsonObject } from "../terms/json/json.ts";

/** A member that is a text or a number, as text; empty if it is something else. */
export function textIn(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A member that is a number; 0 if it is something else. */
export function numberIn(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === "number" ? value : 0;
}
