import type { BoundedCheck, CheckSteps } from "../../../terms/schema/author-schemas.ts";
import { nearestNumbers } from "../../../terms/json/exact-number.ts";
import { Fault } from "../../../terms/fault.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../terms/json/json.ts";
import { ANSWER_NAMES, compileExpression, type ExpressionNames, type ReplyView } from "../expressions/expression.ts";
import type { FieldMap } from "../format/format.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { stepInto } from "../../../terms/json/json-pointer.ts";
import { declaredField } from "../../../terms/schema/schema-names.ts";

/** Makes a record from a reply. @throws Fault `contract` if that is not possible */
export type MapRecord = (view: ReplyView) => JsonObject;

/** @throws DeclarationError */
export function compileMap(map: FieldMap, place: DocumentLocation, names: ExpressionNames = ANSWER_NAMES): MapRecord {
  const evaluate = compileField(map, place, names);
  return (view) => {
    const record = working(evaluate, view);
    if (!isJsonObject(record)) throw new Fault("source.contract", { problem: "no object can be made from it" });
    return record;
  };
}

function working(evaluate: (view: ReplyView) => Json | undefined, view: ReplyView): Json | undefined {
  try {
    return evaluate(view);
  } catch (error) {
    // JMESPath's message may contain a part of the reply, so only the cause has it, for the log.
    throw new Fault("source.contract", { problem: "a field cannot be computed" }, { cause: error });
  }
}

/** Omits fields without a value, and objects in which no field has a value. */
function compileField(
  map: FieldMap,
  place: DocumentLocation,
  names: ExpressionNames,
): (view: ReplyView) => Json | undefined {
  if (typeof map === "string") {
    const evaluate = compileExpression(map, place, names);
    return (view) => evaluate(view) ?? undefined;
  }
  const fields = Object.entries(map).map(
    ([name, inner]) => [name, compileField(inner, place.in(name), names)] as const,
  );
  const top = place.path.length === 1;
  return (view) => {
    const made: [string, Json][] = [];
    for (const [name, evaluate] of fields) {
      const value = evaluate(view);
      if (value !== undefined) made.push([name, value]);
    }
    return made.length === 0 && !top ? undefined : Object.fromEntries(made);
  };
}

/**
 * Checks a record against `output`. @throws Fault `contract` with the path of the invalid field, in names that `output`
 * declares
 */
export function assertFits(fits: BoundedCheck, output: object, record: Json, steps?: CheckSteps): void {
  const nearest = nearestNumbers(record);
  if (fits.ofNearest(nearest, steps)) return;
  const [error] = fits.errors ?? [];
  const missing = (error?.params as { missingProperty?: string } | undefined)?.missingProperty;
  const path = error?.instancePath ?? "";
  const field = declaredField(output, record, missing === undefined ? path : stepInto(path, missing));
  const problem = missing === undefined ? `field ${field} is not as declared` : `field ${field} is missing`;
  throw new Fault("source.contract", { problem, field });
}
