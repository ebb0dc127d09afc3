import type { RunnableSource } from "../run/ports.ts";
import type { SourceDeclaration } from "../sdk/source.ts";
import type { ChargeModel } from "../terms/money/charge.ts";
import { freezeDeep, isJsonObject, type JsonObject } from "../terms/json/json.ts";
import { TIMEOUT_MS_DEFAULT } from "./check-declaration.ts";
import { listPriceOf } from "./list-price.ts";
import { declaredNames, namesMarked } from "../terms/schema/schema-names.ts";
import { digestOf } from "../terms/version.ts";
import type { Schemas } from "../terms/schema/author-schemas.ts";

/** Prepares what every call of a source needs. The declaration has been checked. */
export function toRunnable(
  declaration: SourceDeclaration,
  schemas: Schemas,
  compile: "now" | "first use",
  version = digestOf(declaredContent(declaration)),
): RunnableSource {
  const inputNames = declaredNames(declaration.inputs);
  const inputs = schemas.validator(declaration.inputs, compile);
  const credentials = declaration.credentials;
  const checkCredential = credentials === undefined ? () => null : schemas.validator(credentials, compile);
  return {
    id: declaration.id,
    version,
    declaration,
    timeoutMs: declaration.timeout_ms ?? TIMEOUT_MS_DEFAULT,
    inputNames,
    filter: createFilter(inputNames),
    inputProblem: inputs,
    credentialUse: credentialUse(credentials),
    credentialProblem: checkCredential,
    credentialNames: credentials === undefined ? null : namesOrAny(credentials),
    accountNames: credentials === undefined ? [] : namesMarked(credentials, "x-identity"),
    leavesMachine: declaration.origins !== undefined,
    charge: chargeModel(declaration),
    listPrice: listPriceOf(declaration),
    resumable: declaration.resume !== undefined,
  };
}

/** The content of the version of a declaration without a file. */
export function declaredContent({ cases: _, ...declaration }: SourceDeclaration): string {
  return JSON.stringify(declaration);
}

function chargeModel({ charge, origins }: SourceDeclaration): ChargeModel {
  if (charge === undefined) return origins === undefined ? "free" : "per_call";
  return typeof charge === "string" ? charge : charge.model;
}

function namesOrAny(schema: object): readonly string[] | null {
  const names = declaredNames(schema);
  return names.length === 0 ? null : names;
}

function credentialUse(schema: object | undefined): RunnableSource["credentialUse"] {
  if (schema === undefined) return "none";
  return needsFields(schema as JsonObject) ? "required" : "optional";
}

function needsFields(schema: JsonObject): boolean {
  const required = schema["required"];
  const branches = ["anyOf", "oneOf", "allOf"].some((keyword) => Array.isArray(schema[keyword]));
  return (Array.isArray(required) && required.length > 0) || branches || !isJsonObject(schema["properties"]);
}

/**
 * Creates the filter that reduces a request's inputs to a list of names. The result is deeply frozen, so that no source
 * can change what another one sees. It has no prototype, so that `toString` is a name like any other.
 */
export function createFilter(names: readonly string[]): RunnableSource["filter"] {
  return (inputs) => {
    // Each frozen `Object.create(null)` would get a separate hidden class in V8's old generation.
    const kept = Object.setPrototypeOf({}, null) as Record<string, unknown>;
    for (const name of names) {
      // All sources of a request share nested values, so they are frozen in place.
      if (Object.hasOwn(inputs, name)) kept[name] = freezeDeep(inputs[name]);
    }
    return Object.freeze(kept) as JsonObject;
  };
}
