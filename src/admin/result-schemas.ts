import type { TProperties, TSchema } from "typebox";
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

/** A list of objects with these fields. */
export function rowsOf<Fields extends TProperties>(fields: Fields) {
  return Type.Array(Type.Object(fields));
}

/** Numbers of calls that failed, by who caused it. */
export const failedCounts = {
  failed: { ...count, description: "At the vendor, or in the source's own code" },
  rejected: { ...count, description: "By this service, for instance by a limit, a budget or an invalid input" },
  no_credential: { ...count, description: "Rejected because no credential fits" },
};

/** A result with one list of objects. */
export function listed(name: string, fields: TProperties) {
  return Type.Object({ [name]: rowsOf(fields) });
}

/** `date-time` of JSON Schema has four digits for the year; for other years ECMAScript writes more digits or throws. */
const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** A time in a result: UTC in ISO 8601, or `null`. A time outside the range becomes the nearest one within. */
export function toWireTime(wallAt: number): string;
export function toWireTime(wallAt: number | null): string | null;
export function toWireTime(wallAt: number | null): string | null {
  return wallAt === null ? null : new Date(Math.min(Math.max(wallAt, FIRST), LAST)).toISOString();
}
