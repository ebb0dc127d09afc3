import { test } from "node:test";
import { vendorProject } from "../../lifecycle/vendor-project.ts";
import { createClient } from "../../rig/client.ts";
import { body } from "../../vendor/behaviours.ts";
import { startVendor } from "../../vendor/scripted-vendor.ts";
import { type Play, startProbed } from "./probe-holds.ts";

const times = <Entry>(length: number, entry: (at: number) => Entry): Entry[] =>
  Array.from({ length }, (_, at) => entry(at));

const YAML = (name: string, origin: string, more: string): string =>
  `id: acme__${name}\ntitle: T\ninputs: {type: object, properties: {list: {}, text: {}}}\norigins: ['${origin}']\n${more}\n`;

const RULES =
  "match: {record: 'status == `200` && !contains(body.list[*].[$.body.list[]][], `7`)', no_record: 'contains(body.list[*].[$.body.list[]][], `7`)'}";

test("nothing that authors declare holds the event loop for long, whatever values it is applied to", async (t) => {
  const long = (at: number): string => `"${"x".repeat(16_390)}${String(at).padStart(6, "0")}":1`;
  const vendor = await startVendor(t, {
    paths: {
      "/list": body(`{"list":[${times(49_000, (at) => at).join(",")}]}`),
      "/names": body(`{${times(300, long).join(",")}}`),
      "/small": body("{}"),
    },
  });
  const { origin } = vendor;
  const project = vendorProject(
    t,
    vendor,
    { small: "/small", names: "/names" },
    {
      "sources/filters.yaml": YAML(
        "filters",
        origin,
        `request: {method: POST, url: '${origin}/small', body: {json: {a: '{{ inputs.list | e164 }}', b: '{{ inputs.list | sha256 }}', c: '{{ inputs.list | alphanumeric }}'}}}\nmatch: {record: body, no_record: 'status == \`404\`'}`,
      ),
      "sources/login.yaml": `id: acme__login
title: T
inputs: {type: object, properties: {name: {type: string}}}
credentials: {type: object, properties: {${times(20, (at) => `secret_key_${at}: {type: string}`).join(", ")}}}
origins: ['${origin}']
request: {url: '${origin}/small'}
match: {record: body, no_record: 'status == \`404\`'}
cases:
  - {name: found, inputs: {name: ada}, reply: {body: {a: 1}}, expect: {match: true, output: {a: 1}}}
`,
      ...Object.fromEntries(
        times(60, (at) => [
          `sources/sim_${at}.yaml`,
          `id: acme__none_${at}
title: T
inputs: {type: object, properties: {name: {type: string}}}
origins: ['${origin}']
request: {url: '${origin}/small'}
match: {record: body, no_record: 'status == \`404\`'}
cases:
  - {name: found, inputs: {name: ada}, reply: {body: {a: 1}}, expect: {match: true, output: {a: 1}}}
`,
        ]),
      ),
      "sources/query.yaml": YAML(
        "query",
        origin,
        `request: {url: '${origin}/small', query: {a: '{{ inputs.list }}'}}\nmatch: {record: body, no_record: 'status == \`404\`'}`,
      ),
      "sources/form.yaml": YAML(
        "form",
        origin,
        `request: {method: POST, url: '${origin}/small', body: {form: {a: '{{ inputs.list }}'}}}\nmatch: {record: body, no_record: 'status == \`404\`'}`,
      ),
      "sources/xml.yaml": YAML(
        "xml",
        origin,
        `request: {method: POST, url: '${origin}/small', body: {xml: {r: {a: '{{ inputs.list }}'}}}}\nmatch: {record: body, no_record: 'status == \`404\`'}`,
      ),
      "sources/texts.yaml": YAML(
        "texts",
        origin,
        `request: {method: POST, url: '${origin}/small', body: {json: {${times(8, (at) => `a${at}: '{{ inputs.text | digits }}'`).join(", ")}}}}\nmatch: {record: body, no_record: 'status == \`404\`'}`,
      ),
      "sources/rules.yaml": YAML(
        "rules",
        origin,
        `request: {url: '${origin}/list'}\n${RULES}\ncharge: {model: per_call, amount: 1, currency: EUR, when: 'contains(body.list[*].[$.body.list[]][], \`7\`)'}`,
      ),
    },
  );
  const { deployment, service, tryAll } = await startProbed(t, project);
  const owner = await deployment.operate((operator) => operator.appoint("owner"));
  const client = createClient(service.adminUrl);
  t.after(() => client.close());
  const verb = (path: string, input: object) =>
    client.send({
      method: "POST",
      path: `/api/${path}`,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${owner.token}` },
      body: JSON.stringify(input),
    });
  const org = deployment.access.id;
  const as = await deployment.operate((operator) => operator.createOrganization("Sim", { simulated: true }));
  const UNKNOWN = Object.fromEntries(times(9_900, (at) => [`acme_none_${at}`.padEnd(18, "x"), "timeout"]));
  const plays: Play[] = [
    [
      "thousands of sources named in a simulated run of sixty",
      () =>
        service.post(
          "/data",
          {
            config: { sources: Object.fromEntries(times(60, (at) => [`acme__none_${at}`, true])) },
            inputs: { simulate: UNKNOWN },
          },
          { as },
        ),
    ],
    [
      "the same for one",
      () =>
        service.post("/data", { config: { sources: { acme__none_1: true } }, inputs: { simulate: UNKNOWN } }, { as }),
    ],
    ["a list for filters", () => service.run({ acme__filters: true }, { list: times(49_000, () => "+14155552671") })],
    [
      "a thousand for filters",
      () => service.run({ acme__filters: true }, { list: times(1_000, () => "+14155552671") }),
    ],
    ["a list in a query", () => service.run({ acme__query: true }, { list: times(49_000, () => "é+14155552671") })],
    ["a list in a form", () => service.run({ acme__form: true }, { list: times(49_000, () => "é+141555") })],
    ["a list in XML", () => service.run({ acme__xml: true }, { list: times(49_000, () => "é&141555") })],
    ["a text for eight filters", () => service.run({ acme__texts: true }, { text: "é1".repeat(300_000) })],
    ["rules and a charge", () => service.run({ acme__rules: true })],
    ["names that differ at their end", () => service.run({ acme__names: true })],
    [
      "fields of a credential that nobody declares",
      () =>
        verb("credential/create", {
          org,
          source: "acme__login",
          fields: Object.fromEntries(times(9_900, (at) => [`field_${at}`.padEnd(60, "x"), "1"])),
        }),
    ],
    [
      "a field of a megabyte",
      () =>
        verb("credential/create", {
          org,
          source: "acme__login",
          fields: Object.fromEntries([["x".repeat(900_000), "1"]]),
        }),
    ],
  ];
  await service.run({ acme__small: true });
  await tryAll(plays);
});
