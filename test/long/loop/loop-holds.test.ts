import { test, type TestContext } from "node:test";
import type { Process } from "../../rig/deployed.ts";
import { vendorProject } from "../../lifecycle/vendor-project.ts";
import { body } from "../../vendor/behaviours.ts";
import { startVendor } from "../../vendor/scripted-vendor.ts";
import { HOSTILE_JSON, HOSTILE_XML } from "./hostile-shapes.ts";
import { HOSTILE_CLIENTS, HOSTILE_MARKUP, HOSTILE_WIRE, sendAndReset } from "./hostile-wire.ts";
import { type Play, type Probed, startProbed } from "./probe-holds.ts";

test("nothing that a vendor, a caller or a function sends holds the event loop for long", async (t) => {
  const { service, tryAll } = await openProbed(t);
  const plays: Play[] = [
    ...Object.keys(HOSTILE_JSON).flatMap((name, at): Play[] => [
      [`passed on: ${name}`, () => service.run({ [`acme__raw_${at}`]: true })],
      [`mapped: ${name}`, () => service.run({ [`acme__mapped_${at}`]: true })],
    ]),
    ...Object.keys(HOSTILE_XML).map((name, at): Play => [
      `XML: ${name}`,
      () => service.run({ [`acme__xml_${at}`]: true }),
    ]),
    ...Object.keys(HOSTILE_WIRE).map((name, at): Play => [
      `on the wire: ${name}`,
      () => service.run({ [`acme__wire_${at}`]: true }),
    ]),
    ...Object.keys(HOSTILE_MARKUP).map((name, at): Play => [
      `markup: ${name}`,
      () => service.run({ [`acme__markup_${at}`]: true }),
    ]),
    ...Object.entries(HOSTILE_CLIENTS).map(([name, text]): Play => [
      `a client without a token: ${name}`,
      () => sendAndReset(service.url, text),
    ]),
    [
      "an input of entries that must differ",
      () => service.run({ acme__strict: true }, { list: Array.from({ length: 48_000 }, (_, at) => [at]) }),
    ],
    [
      "an input for a pattern that looks expensive",
      () => service.run({ acme__strict: true }, { text: "a".repeat(900_000) }),
    ],
    ["credentials of thousands of fields", () => service.run({ acme__small: { credentials: MANY_FIELDS } })],
    ["four large replies for each of eight functions", () => together(8, () => call(service, "dfunc_gathers"))],
    ...Object.keys(RESULTS).map((name): Play => [
      `a function that returns ${name}`,
      () => call(service, `dfunc_${name}`),
    ]),
    ["10,000 inputs for 100 sources", () => service.run(MANY_SOURCES, MANY_INPUTS)],
    ["a body of empty objects", () => service.run({ acme__small: true }, { all: EMPTY_ONES })],
    ["a body of objects with names of their own", () => service.run({ acme__small: true }, { all: OWN_NAMES })],
    ["an input of objects with names of their own", () => service.run({ acme__takes: true }, { id: OWN_NAMES })],
    ["32 bodies of empty objects", () => together(32, () => service.run({ acme__small: true }, { all: EMPTY_ONES }))],
    [
      "32 bodies of objects with names of their own",
      () => together(32, () => service.run({ acme__small: true }, { all: OWN_NAMES })),
    ],
    ["32 replies of middle size, mapped", () => together(32, () => service.run({ acme__mapped_middle: true }))],
  ];
  await service.run({ acme__small: true });
  await call(service, "dfunc_small");
  await tryAll(plays);
});

const MANY_SOURCES = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`acme__many_${at}`, true]));
const MANY_INPUTS = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`name_${at}`, at]));

const MANY_FIELDS = Object.fromEntries(
  Array.from({ length: 9_000 }, (_, at) => [`field_${at}`, `secret_number_${at}`]),
);

const EMPTY_ONES = Array.from({ length: 49_000 }, () => ({}));
const OWN_NAMES = Array.from({ length: 49_000 }, (_, at) => ({ [`name_${at}`]: at % 10 }));

/** What functions return, each a megabyte. */
const RESULTS: Readonly<Record<string, string>> = {
  lists: "Array.from({ length: 340000 }, () => [])",
  objects: "Array.from({ length: 70000 }, (_, at) => ({ ['n' + at]: 1 }))",
  names: "Object.fromEntries(Array.from({ length: 80000 }, (_, at) => ['n' + at, 1]))",
};

async function openProbed(t: TestContext): Promise<Probed> {
  const paths = Object.fromEntries(
    [
      ...Object.values(HOSTILE_JSON).map((make, at) => [`/json_${at}`, body(make())] as const),
      ...Object.values(HOSTILE_XML).map(
        (make, at) => [`/xml_${at}`, body(make(), { headers: { "content-type": "text/xml" } })] as const,
      ),
      ...Object.values(HOSTILE_WIRE).map((behaviour, at) => [`/wire_${at}`, behaviour] as const),
      ...Object.values(HOSTILE_MARKUP).map(
        (text, at) => [`/markup_${at}`, body(text, { headers: { "content-type": "text/xml" } })] as const,
      ),
    ].map(([path, behaviour]) => [path, behaviour]),
  );
  const middle = JSON.stringify({ list: OWN_NAMES.slice(0, 12_000) });
  const vendor = await startVendor(t, { paths: { ...paths, "/small": body("{}"), "/middle": body(middle) } });
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`many_${at}`, "/small"]));
  const raw = Object.fromEntries(Object.keys(HOSTILE_JSON).map((_, at) => [`raw_${at}`, `/json_${at}`]));
  const wire = Object.fromEntries(Object.keys(HOSTILE_WIRE).map((_, at) => [`wire_${at}`, `/wire_${at}`]));
  const project = vendorProject(
    t,
    vendor,
    { small: "/small", ...many, ...raw, ...wire },
    {
      ...Object.fromEntries(
        Object.keys(HOSTILE_JSON).map((_, at) => [
          `sources/mapped_${at}.yaml`,
          mapped(`mapped_${at}`, vendor.origin, `/json_${at}`),
        ]),
      ),
      ...Object.fromEntries(
        Object.keys(HOSTILE_XML).map((_, at) => [
          `sources/xml_${at}.yaml`,
          mapped(`xml_${at}`, vendor.origin, `/xml_${at}`, "reply: {format: xml}\n"),
        ]),
      ),
      ...Object.fromEntries(
        Object.keys(HOSTILE_MARKUP).map((_, at) => [
          `sources/markup_${at}.yaml`,
          mapped(`markup_${at}`, vendor.origin, `/markup_${at}`, "reply: {format: xml}\n"),
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(RESULTS).map(([name, value]) => [
          `functions/${name}.mjs`,
          `export default { id: "dfunc_${name}", title: "T", timeout_ms: 20000, run: () => ({ output: { a: ${value} } }) };`,
        ]),
      ),
      "sources/mapped_middle.yaml": mapped("mapped_middle", vendor.origin, "/middle"),
      "sources/takes.mjs": `export default { id: "acme__takes", title: "T", inputs: { type: "object", properties: { id: { type: "array", items: { type: "object" } } } }, run: ({ inputs }) => ({ count: inputs.id.length }) };`,
      "sources/strict.mjs": `export default { id: "acme__strict", title: "T", inputs: { type: "object", properties: { list: { type: "array", uniqueItems: true }, text: { type: "string", pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" } } }, run: () => ({}) };`,
      "functions/small.mjs": `export default { id: "dfunc_small", title: "T", run: () => ({ output: {} }) };`,
      "functions/gathers.mjs": `export default { id: "dfunc_gathers", title: "T", timeout_ms: 20000, async run({ run }) {
      await Promise.all(Array.from({ length: 4 }, (_, at) => run("acme__raw_" + (at + 5), {})));
      return { output: { ok: true } };
    } };`,
    },
  );
  return startProbed(t, project);
}

/** Everything of the reply goes through rules, a map and a check. */
function mapped(name: string, origin: string, path: string, more = ""): string {
  return [
    `id: acme__${name}`,
    "title: T",
    "inputs: {type: object}",
    `origins: ['${origin}']`,
    `request: {method: GET, url: '${origin}${path}'}`,
    "match: {record: 'length(body) > `0`', no_record: '!body'}",
    "map: {all: body, names: 'keys(body)'}",
    "output: {type: object, properties: {all: {type: object, additionalProperties: {anyOf: [{type: array, items: {type: [object, string, number, array]}}, {}]}}}}",
    more,
  ].join("\n");
}

function call(service: Process, id: string): Promise<unknown> {
  return service.post("/func", { config: { data_func: id } });
}

async function together(count: number, one: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, one));
}
