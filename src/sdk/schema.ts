import type { Static, TSchema } from "typebox";
import type { XStatic } from "typebox/schema";

/** Any JSON Schema 2020-12, written by hand or made with `Type`. Unknown keywords are annotations. */
export type JsonSchema = object;

/** The TypeScript type of the values a schema describes: from `Type.…` exactly, from a literal as far as it says. */
export type TypeOf<Schema> = Schema extends TSchema
  ? Schema extends { "~kind": string }
    ? Static<Schema>
    : XStatic<Schema>
  : XStatic<Schema>;

export { Type } from "../terms/type.ts";
