/** Two ways to make a source for the tests of cases and of simulated vendors. */
import type { RunnableSource } from "../../src/run/ports.ts";
import type { SourceDeclaration } from "../../src/sdk/source.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../src/sources/runnable.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";

/** Finds people, and is refused a name that is too short. */
export const ACME = `
id: acme__people
title: People
inputs: {type: object, required: [name], properties: {name: {type: string, minLength: 2}, born: {type: string}}}
credentials: {type: object, required: [key], properties: {key: {type: string}}}
origins: [https://api.acme.example]
auth: {kind: api_key, header: X-Key, value: '{{ credentials.key }}'}
request: {url: 'https://api.acme.example/people/{{ inputs.name }}', query: {born: '{{ inputs.born }}'}}
match: {record: body.id, no_record: 'status == \`404\`'}
map: {id: body.id, name: body.name}
output: {type: object, required: [id], properties: {id: {type: integer}}}
limits: {rate: [{per: source, max: 1, every: 1d}]}
cases:
  - name: found
    inputs: {name: ada}
    request: {method: GET, path: /people/ada, query: {}}
    reply: {body: {id: 1, name: Ada}}
    expect: {match: true, output: {id: 1, name: Ada}}
  - {name: another, inputs: {name: bob, born: '1990-01-01'}, reply: {body: {id: 2, name: Bob}}, expect: {match: true, includes: {id: 2}}}
  - {name: nobody, inputs: {name: nobody}, reply: {status: 404}, expect: {match: false}}
  - {name: too short, inputs: {name: a}, expect: {failure: input, field: name}}
`;

export function runnable(text = ACME): RunnableSource {
  return toRunnable(compileDeclarative(text, "acme.yaml"), createSchemas(), "now");
}

/** A source in TypeScript. */
export function written(
  declaration: Omit<SourceDeclaration, "id" | "title" | "inputs"> & { inputs?: object },
): RunnableSource {
  const inputs = { type: "object", properties: { name: { type: "string" } } };
  return toRunnable({ id: "acme__people", title: "People", inputs, ...declaration }, createSchemas(), "now");
}
