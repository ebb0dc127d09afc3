import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createOutboundClient } from "../../src/outbound/http-client.ts";
import { renderReport, runCases } from "../../src/simulation/run-cases.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../src/sources/runnable.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import { systemClock } from "../../src/terms/time/clock.ts";

/*
 * Kinds of vendor APIs that no example of the catalog shows. The catalog's examples have the others: signatures in
 * header, query and body, tokens, JWT, OAuth 1, HTTP Digest, SOAP, orders, multipart, CSV and pages of a list.
 */

const parts = { door: createOutboundClient({ clock: systemClock }), clock: systemClock };
after(() => parts.door.close());

const HEAD = `title: Kind
inputs: {type: object, required: [number], properties: {number: {type: string, pattern: '^[0-9]+$'}}}
origins: ['https://api.vendor.example']
charge: free
`;
const BAD_INPUT = "  - {name: bad input, inputs: {number: x}, expect: {failure: input, field: number}}\n";

const KINDS: Readonly<Record<string, string>> = {
  "a session in a cookie": `id: kind__cookie
${HEAD}credentials: {type: object, required: [user, password], properties: {user: {type: string}, password: {type: string}}}
auth:
  kind: token_exchange
  request:
    method: POST
    url: https://api.vendor.example/session
    body: {json: {user: '{{ credentials.user }}', password: '{{ credentials.password }}'}}
  token: split(headers."set-cookie", ';')[0]
  default_ttl: 10m
  header: Cookie
  value: '{{ token }}'
request: {url: 'https://api.vendor.example/companies/{{ inputs.number }}'}
match: {record: body.name, no_record: status == \`404\`}
map: {name: body.name}
output: {type: object, required: [name], properties: {name: {type: string}}}
cases:
  - name: found
    inputs: {number: '7'}
    credentials: {user: u, password: example-password}
    request: [{path: /session}, {path: /companies/7, headers: {cookie: session=s-1}}]
    reply: [{status: 204, headers: {set-cookie: 'session=s-1; Path=/; HttpOnly'}}, {body: {name: EXAMPLE}}]
    expect: {match: true, output: {name: EXAMPLE}}
  - name: nobody
    inputs: {number: '8'}
    credentials: {user: u, password: example-password}
    reply: [{status: 204, headers: {set-cookie: session=s-1}}, {status: 404, body: {}}]
    expect: {match: false}
`,
  "errors of GraphQL within a 200, and braces in its text": `id: kind__graphql
${HEAD}request:
  method: POST
  url: https://api.vendor.example/graphql
  body:
    json:
      query: "query($number: ID!) { company(number: $number) { name address { city {{ '}}' }} }"
      variables: {number: '{{ inputs.number }}'}
errors:
  - {when: {predicate: "body.errors[0].extensions.code == 'RATE_LIMITED'"}, kind: rate_limited}
match: {record: body.data.company, no_record: 'type(body.data) == ''object'' && !(body.data.company)'}
map: {name: body.data.company.name, city: body.data.company.address.city}
output: {type: object, required: [name], properties: {name: {type: string}, city: {type: string}}}
cases:
  - name: found
    inputs: {number: '7'}
    request:
      body:
        query: 'query($number: ID!) { company(number: $number) { name address { city }} }'
        variables: {number: '7'}
    reply: {body: {data: {company: {name: EXAMPLE, address: {city: Oslo}}}}}
    expect: {match: true, output: {name: EXAMPLE, city: Oslo}}
  - {name: nobody, inputs: {number: '8'}, reply: {body: {data: {company: null}}}, expect: {match: false}}
  - name: too many
    inputs: {number: '8'}
    reply: {body: {errors: [{message: slow down, extensions: {code: RATE_LIMITED}}]}}
    expect: {failure: rate_limited}
`,
  "a nested form with a list": `id: kind__form
${HEAD}request:
  method: POST
  url: https://api.vendor.example/v1/checks
  body:
    form: {'company[number]': '{{ inputs.number }}', 'expand[0]': officers, 'expand[1]': address}
match: {record: body.id, no_record: "body.error.code == 'not_found'"}
map: {id: body.id}
output: {type: object, required: [id], properties: {id: {type: string}}}
cases:
  - name: found
    inputs: {number: '7'}
    request: {body: {'company[number]': '7', 'expand[0]': officers, 'expand[1]': address}}
    reply: {body: {id: c-1}}
    expect: {match: true, output: {id: c-1}}
  - {name: nobody, inputs: {number: '8'}, reply: {body: {error: {code: not_found}}}, expect: {match: false}}
`,
  "an order answered with the address of its result": `id: kind__location
${HEAD}steps:
  - name: order
    request: {method: POST, url: 'https://api.vendor.example/reports', body: {json: {number: '{{ inputs.number }}'}}}
    order_id: split(headers.location, '/')[-1]
  - name: report
    free: true
    poll: {until: status == \`200\`, first_after_ms: 0, every_ms: 50}
    request: {url: 'https://api.vendor.example/reports/{{ order_id }}'}
match: {record: body.score, no_record: "body.state == 'nobody'"}
map: {score: body.score}
output: {type: object, required: [score], properties: {score: {type: integer}}}
cases:
  - name: found
    inputs: {number: '7'}
    request: [{path: /reports}, {path: /reports/r-9}, {path: /reports/r-9}]
    reply:
      - {status: 201, headers: {location: 'https://api.vendor.example/reports/r-9'}}
      - {status: 202}
      - {body: {score: 71}}
    expect: {match: true, output: {score: 71}}
  - name: nobody
    inputs: {number: '8'}
    reply: [{status: 201, headers: {location: 'https://api.vendor.example/reports/r-8'}}, {body: {state: nobody}}]
    expect: {match: false}
`,
};

for (const [kind, text] of Object.entries(KINDS)) {
  test(`${kind}: its cases pass, with those of every vendor`, async () => {
    const source = toRunnable(compileDeclarative(text + BAD_INPUT, "kind.yaml"), createSchemas(), "now");
    const report = await runCases(source, parts);
    assert.equal(report.passed, true, renderReport(report));
  });
}
