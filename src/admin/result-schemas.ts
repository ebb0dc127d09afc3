import type { TSchema } from "typebox";
import { Type } from "../terms/schema/type.ts";

/** Building blocks of result schemas. Results are open: a new field may be added to any object. */

export const text = Type.String();
export const yesOrNo = Type.Boolean();
export const count = Type.Integer({ minimum: 0 });
export const time = Type.String({ format: "date-time", description: "UTC" });
/** An object without fixed fields. */
export const anObject = Type.Object({});
export const anything = Type.Unknown();

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

export function oneOf(...values: readonly string[]) {
  return Type.Unsafe<string>({ type: "string", enum: [...values] });
}

export function listOf<Schema extends TSchema>(schema: Schema) {
  return Type.Array(schema);
}

/** A result with one list. */
export function listed(name: string, item: TSchema) {
  return Type.Object({ [name]: Type.Array(item) });
}
