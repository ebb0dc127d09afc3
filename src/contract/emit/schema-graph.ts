import { isJsonObject, type JsonObject } from "../../terms/json/json.ts";
import { resolveLocal } from "../../terms/schema/schema-names.ts";
import { isReference, own, textOf } from "./schema-keywords.ts";

/** A schema that accepts nothing, as the only entry of a conjunction. */
export const NEVER: JsonObject = { not: {} };

/** Schemas and those that they refer to, each with an id and with the document that its references begin from. */
export class SchemaGraph {
  readonly #ids = new Map<JsonObject, number>();
  readonly #roots = new Map<JsonObject, JsonObject>();
  readonly #definitions = new Map<string, string>();

  /** Adds a schema; `true`, and what is no schema, accepts everything. */
  enter(schema: unknown, from: JsonObject | undefined): JsonObject | undefined {
    if (schema === false) return NEVER;
    if (!isJsonObject(schema)) return undefined;
    if (!this.#ids.has(schema)) {
      this.#ids.set(schema, this.#ids.size + 1);
      const isRoot = from === undefined || /^[^#]/.test(textOf(schema, "$id"));
      this.#roots.set(schema, isRoot ? schema : this.#roots.get(from)!);
    }
    return schema;
  }

  /** Replaces schemas that only refer to others, so that a definition has one key wherever it is used. */
  withoutReferences(schemas: readonly JsonObject[]): readonly JsonObject[] {
    const found = new Set<JsonObject>();
    for (let schema of schemas) {
      for (const seen = new Set<JsonObject>(); isReference(schema) && !seen.has(schema);) {
        seen.add(schema);
        const target = this.targetOf(schema);
        if (target === undefined) break;
        schema = target;
      }
      if (!(isReference(schema) && this.targetOf(schema) === undefined)) found.add(schema);
    }
    return found.has(NEVER) ? [NEVER] : [...found].sort((a, b) => (this.#ids.get(a) ?? 0) - (this.#ids.get(b) ?? 0));
  }

  targetOf(schema: JsonObject): JsonObject | undefined {
    const reference = own(schema, "$ref");
    if (typeof reference !== "string") return undefined;
    const root = this.#roots.get(schema)!;
    const target = this.enter(resolveLocal(root, reference), root);
    const name = /[^/#]+$/.exec(reference)?.[0];
    if (target !== undefined && name !== undefined && this.#ids.has(target))
      this.#definitions.set(String(this.#ids.get(target)), name);
    return target;
  }

  /** The same text for the same conjunction of schemas. */
  keyOf(schemas: readonly JsonObject[]): string {
    return schemas.map((schema) => this.#ids.get(schema) ?? 0).join("&");
  }

  /** The name of the definition that a `$ref` led to, by the key of its schema. */
  definitionName(key: string): string | undefined {
    return this.#definitions.get(key);
  }
}
