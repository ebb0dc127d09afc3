import type { Json, JsonObject } from "../../terms/json/json.ts";
import { snakeCase, type DraftInput } from "../draft-request.ts";
import type { ImportChoices } from "./imported.ts";
import type { XmlField } from "./xml-schema.ts";

/** The content of the request, with inputs for its values. */
export class SoapRequest {
  readonly inputs: DraftInput[] = [];
  readonly notes: string[] = [];
  readonly #choices: ImportChoices;
  readonly #prefixes = new Map<string, string>();

  constructor(choices: ImportChoices) {
    this.#choices = choices;
  }

  nameOf({ name, namespace }: XmlField): string {
    if (namespace === "" || name.startsWith("@") || name === "#text") return name;
    if (!this.#prefixes.has(namespace)) this.#prefixes.set(namespace, `n${this.#prefixes.size + 1}`);
    return `${this.#prefixes.get(namespace)}:${name}`;
  }

  declarations(): JsonObject {
    return Object.fromEntries([...this.#prefixes].map(([namespace, prefix]) => [`@xmlns:${prefix}`, namespace]));
  }

  bodyOf(field: XmlField, parents: readonly string[] = [], isRequired = true): Json {
    // The element that is named first gets the first prefix.
    this.nameOf(field);
    const { content } = field;
    if ("fields" in content) {
      if (field.isList) this.notes.push(`${field.name} can occur several times. The request has one of them.`);
      const below = parents.length === 0 && this.inputs.length === 0 ? [""] : [...parents, field.name];
      const members = content.fields.map(
        (inner) => [this.nameOf(inner), this.bodyOf(inner, below, isRequired && inner.isRequired)] as const,
      );
      return members.length === 0 ? "" : Object.fromEntries(members);
    }
    const { schema } = content;
    if (typeof schema["const"] === "string") return schema["const"];
    const name = this.#freeName(field.name, parents);
    const described = field.description === undefined ? schema : { ...schema, description: field.description };
    const examples = this.#choices.examples;
    this.inputs.push({
      name,
      schema: field.isList ? { type: "array", items: described, minItems: 1, maxItems: 100 } : described,
      required: isRequired,
      ...(Object.hasOwn(examples, name) ? { example: examples[name]! } : {}),
    });
    return `{{ inputs.${name} }}`;
  }

  #freeName(written: string, parents: readonly string[]): string {
    const own = written === "#text" ? (parents.at(-1) ?? "value") : written;
    const plain = snakeCase(own) || "value";
    const longer = snakeCase([...parents, own].join("_")) || plain;
    const taken = new Set(this.inputs.map(({ name }) => name));
    const free = [plain, longer].find((name) => !taken.has(name) && /^[a-z]/.test(name));
    if (free !== undefined) return free;
    for (let count = 2; ; count += 1) if (!taken.has(`input_${plain}_${count}`)) return `input_${plain}_${count}`;
  }
}
