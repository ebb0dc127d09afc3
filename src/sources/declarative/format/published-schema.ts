import { SourceFormat } from "./format.ts";

/** The schema of the format as it is published beside this file; a test keeps the two equal. */
export function publishedSchema(): Record<string, unknown> {
  const format = JSON.parse(JSON.stringify(SourceFormat)) as Record<string, unknown>;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A declarative source of datarun",
    ...format,
    $defs: {
      field_map: {
        anyOf: [
          { type: "string", minLength: 1 },
          { type: "object", minProperties: 1, additionalProperties: { $ref: "#/$defs/field_map" } },
        ],
      },
    },
  };
}
