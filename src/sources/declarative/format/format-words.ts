import { Type } from "../../../terms/schema/type.ts";
import { durationPattern } from "../../../terms/time/durations.ts";

/** The building blocks of the format's schema. */

export const closed = { additionalProperties: false } as const;

export function words<const Names extends readonly string[]>(names: Names, description: string) {
  return Type.Unsafe<Names[number]>({ type: "string", enum: names, description });
}

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;

export function text(description: string, options: object = {}) {
  return Type.String({ description, minLength: 1, ...options });
}

export const template = (description: string) =>
  Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    description: `${description} Text may contain templates such as \`{{ inputs.name | upper }}\`.`,
  });

export const duration = (description: string) =>
  Type.String({
    description: `${description} Written \`300ms\`, \`5s\`, \`5m\`, \`1h\` or \`1d\`.`,
    pattern: durationPattern("ms", "s", "m", "h", "d"),
  });

export const expression = (description: string) =>
  text(`${description} JMESPath over \`status\`, \`headers\` and \`body\`.`);

/** A schema that the published one has once, under `$defs`. */
export const shared = <Value>(name: string, description?: string) =>
  Type.Unsafe<Value>({ description, $ref: `#/$defs/${name}` });

export const anyObject = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: "object", description });
