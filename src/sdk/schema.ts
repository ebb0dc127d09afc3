import type { Static, TSchema } from "typebox";
import type { XStatic } from "typebox/schema";

/** Any JSON Schema 2020-12, written by hand or made with `Type`. Unknown keywords are annotations. */
export type JsonSchema = object;

/** The TypeScript type of the values that a schema describes: exact for `Type.…`, and as far as possible for a literal. */
export type TypeOf<Schema> = Schema extends TSchema
  ? Schema extends { "~kind": string }
    ? Static<Schema>
    : XStatic<Schema>
  : XStatic<Schema>;

export { Type } from "../terms/schema/type.ts";
