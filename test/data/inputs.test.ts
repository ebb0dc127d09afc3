import assert from "node:assert/strict";
import { after, test } from "node:test";
import { NAUGHTY_STRINGS } from "../rig/naughty-strings.ts";
import { startService } from "../rig/service.ts";
import { repeatsInputs, source } from "../rig/sources.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after }, { paths: { "/ask": json({ ok: true }) } });
const branches = {
  type: "object",
  properties: { plain: {} },
  oneOf: [{ properties: { one: {} } }, { properties: { other: {} }, allOf: [{ properties: { deeper: {} } }] }],
  anyOf: [{ properties: { any: {} } }, { anyOf: [{ oneOf: [{ properties: { deepest: {} } }] }] }, {}],
  allOf: [{ properties: { all: {} } }, { $ref: "#/$defs/shared" }],
  not: { required: ["forbidden"], properties: { forbidden: {} } },
  $defs: { shared: { properties: { shared: {} } }, unused: { properties: { unused: {} } } },
} as const;
const repeats = (id: string, inputs: object) =>
  source(id, (call) => ({ inputs: call.inputs }), { inputs: inputs as Record<string, unknown> });
const service = await startService(
  { after },
  {
    sources: [
      repeatsInputs("acme__any", "value"),
      repeats("acme__branches", { ...branches, oneOf: undefined, anyOf: [...branches.anyOf, ...branches.oneOf] }),
      repeats("acme__one_of", {
        type: "object",
        oneOf: [
          { properties: { one: {} }, required: ["one"] },
          { properties: { other: {} }, required: ["other"] },
        ],
      }),
      ...Array.from({ length: 20 }, (_, at) =>
        source(`acme__unique_${at}`, () => ({ ok: true }), {
          inputs: { type: "object", properties: { list: { type: "array", uniqueItems: true } } },
        }),
      ),
      repeatsInputs("acme__inherited", "constructor", "toString", "hasOwnProperty", "valueOf", "__proto__"),
      repeats("acme__typed", {
        type: "object",
        properties: {
          text: { type: "string" },
          number: { type: "number" },
          whole: { type: "integer" },
          yes: { type: "boolean" },
          list: { type: "array", items: { type: "string" } },
        },
      }),
      repeats("acme__needs", {
        type: "object",
        properties: { name: { type: "string", minLength: 2 } },
        required: ["name"],
      }),
      source(
        "acme__mutates",
        ({ inputs }) => {
          try {
            (inputs["value"] as { list: number[] }).list.push(4);
          } catch {
            // Frozen, as it should be.
          }
          try {
            (inputs as Record<string, unknown>)["value"] = "changed";
          } catch {
            // Frozen, as it should be.
          }
          return { done: true };
        },
        { inputs: { type: "object", properties: { value: {} } } },
      ),
      source(
        "acme__in_query",
        async ({ http, inputs }) => {
          await http.get(`${vendor.origin}/ask?v=1`, { query: { q: inputs["value"] as string, lang: "en" } });
          return {};
        },
        { inputs: { type: "object", properties: { lang: {}, value: {} } }, origins: [vendor.origin] },
      ),
      ...["url: ORIGIN/ask, query: {q: '{{ inputs.value }}'}", "url: 'ORIGIN/ask/{{ inputs.value }}'"].map(
        (request, at) =>
          compileDeclarative(
            `id: acme__file_${at}
title: By a file
inputs: {type: object, properties: {lang: {}, value: {}}}
origins: [ORIGIN]
request: {${request}}
match: {record: 'status < \`300\`', no_record: 'status == \`404\`'}`.replaceAll("ORIGIN", vendor.origin),
            `file_${at}.yaml`,
          ),
      ),
      source(
        "acme__sends",
        async ({ http, inputs }) => {
          await http.post(`${vendor.origin}/ask`, { json: { value: inputs["value"] } });
          return {};
        },
        { inputs: { type: "object", properties: { value: {} } }, origins: [vendor.origin] },
      ),
    ],
    vendors: [vendor],
  },
);

/** What a source saw of a value. The service must give it on as JSON.parse reads it. */
async function seenOf(text: string): Promise<unknown> {
  const body = `{"config":{"sources":{"acme__any":true,"ok__echo":true}},"inputs":{"value":${text}}}`;
  const reply = await service.post("/data", body);
  assert.equal(reply.statusCode, 200, text.slice(0, 80));
  return reply.json().outputs.acme__any.inputs.value;
}

test("inputs are reduced to the names of every oneOf, anyOf and allOf branch", async () => {
  const names = ["plain", "one", "other", "deeper", "any", "deepest", "all", "shared"];
  const dropped = ["unused", "Plain", "plain ", "properties", "$defs"];
  const inputs = Object.fromEntries([...names, ...dropped].map((name) => [name, name]));
  const { outputs } = (await service.run({ acme__branches: true }, inputs)).json();
  assert.deepEqual(Object.keys(outputs.acme__branches.inputs).sort(), names.toSorted());
});

test("a misspelled or undeclared field is dropped silently", async () => {
  const { status, outputs } = (await service.run({ acme__any: true }, { valeu: 1, Value: 2, extra: 3 })).json();
  assert.equal(status.acme__any.success, true);
  assert.deepEqual(outputs.acme__any, { inputs: {} });
});

test("what is dropped cannot make inputs invalid; what is kept must be valid before the source runs", async () => {
  const sources = { acme__one_of: true, acme__needs: true };
  const good = (await service.run(sources, { one: 1, name: "Ada", stray: {} })).json();
  assert.deepEqual([good.status.acme__one_of.success, good.status.acme__needs.success], [true, true]);
  const bad = (await service.run(sources, { one: 1, other: 2, name: "A" })).json();
  assert.match(bad.status.acme__one_of.message, /^Adapter error: input /);
  assert.match(bad.status.acme__needs.message, /^Adapter error: input name /);
  const none = (await service.run(sources)).json();
  assert.equal(none.status.acme__needs.message, "Adapter error: input name is required");
  assert.equal(none.status.acme__one_of.message, "Adapter error: input needs one or other");
});

test("an input that makes an address longer than any vendor reads is named, and nothing is sent or charged", async () => {
  const sources = { acme__in_query: true, acme__file_0: true, acme__file_1: true };
  const before = vendor.count();
  // Longer as it is, and longer once it is encoded; characters that cost the most to encode, and to look for dots in.
  for (const value of ["a".repeat(65_600), "!".repeat(1_000_000), "%".repeat(30_000), "漢".repeat(9_000)]) {
    const { transaction_id, status } = (await service.run(sources, { lang: "en", value })).json();
    for (const id of Object.keys(sources))
      assert.equal(status[id].message, "Adapter error: input value is too long for an address", id);
    const { calls, attempts } = service.ledgerRows(transaction_id);
    assert.deepEqual([...new Set(calls.map(({ charged }) => charged))], ["no"]);
    assert.equal(attempts.length, 0);
  }
  // Many, each short, that are too long together: every one is a parameter of its own.
  const list = Array.from({ length: 30_000 }, () => "é");
  const { status: many } = (await service.run({ acme__file_0: true }, { lang: "en", value: list })).json();
  assert.equal(many.acme__file_0.message, "Adapter error: input value is too long for an address");
  assert.equal(vendor.count(), before);
  const { status } = (await service.run(sources, { value: "a".repeat(60_000) })).json();
  for (const id of Object.keys(sources)) assert.equal(status[id].success, true, status[id].message);
});

test("nothing is coerced: a value of another type is an input failure that names the field and not the value", async () => {
  const wrong = {
    text: [1, true, null, {}, []],
    number: ["1", "", true, null],
    whole: [1.5, "1"],
    yes: ["true", 1, 0, null, ""],
    list: ["a", {}, [1], [null]],
  };
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { status } = (await service.run({ acme__typed: true }, { [field]: value })).json();
      assert.match(status.acme__typed.message, new RegExp(`^Adapter error: input ${field}`), JSON.stringify(value));
    }
  }
  const right = { text: "1", number: 1, whole: 2, yes: false, list: ["a"] };
  const { outputs } = (await service.run({ acme__typed: true }, right)).json();
  assert.deepEqual(outputs.acme__typed.inputs, right);
});

test("names that objects inherit are names like any other", async () => {
  const without = (await service.run({ acme__inherited: true, acme__any: true }, {})).json();
  assert.deepEqual(without.outputs.acme__inherited, { inputs: {} });
  const body = `{"config":{"sources":{"acme__inherited":true}},"inputs":{"constructor":1,"toString":"x","hasOwnProperty":null,"__proto__":{"polluted":true}}}`;
  const { outputs } = (await service.post("/data", body)).json();
  assert.deepEqual(Object.keys(outputs.acme__inherited.inputs).sort(), [
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toString",
  ]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test("no source can change what another one sees", async () => {
  const value = { list: [1, 2, 3] };
  const sources = { acme__mutates: true, acme__any: true };
  for (const order of [sources, { acme__any: true, acme__mutates: true }]) {
    const { outputs } = (await service.run(order, { value })).json();
    assert.deepEqual(outputs.acme__any.inputs.value, value);
    assert.deepEqual(outputs.acme__mutates, { done: true });
  }
});

test("every valid JSON value reaches a source, and its vendor, as it was sent", async () => {
  const values = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "123",
    "1.5",
    "-1.5e-10",
    "1E+2",
    "1e2",
    "1e-400",
    "0.1",
    "123456789012",
    "9007199254740993",
    "12345678901234567890",
    "1.7976931348623157e308",
    "5e-324",
    "0e0",
    "0.00000000000000000000000000001",
    "1e0000000001",
    '""',
    '"a"',
    '" "',
    String.raw`"\"\\\/\b\f\n\r\t"`,
    String.raw`"\u0041\u00e9\u20ac"`,
    String.raw`"\ud83d\ude00"`,
    String.raw`"\u0000"`,
    String.raw`"\ud800"`,
    String.raw`"\udfff"`,
    String.raw`"\udc00\ud800"`,
    String.raw`"\uDEAD tail"`,
    '"é€😀"',
    '"\u2028\u2029"',
    '"\u007f"',
    '"\uffff\ufffe"',
    "[]",
    "[[]]",
    "[[[[]]]]",
    "[null]",
    "[1,[2,{}]]",
    "[ 1 ,\n2\t]",
    "{}",
    '{"":0}',
    '{"a":{"b":{"c":{}}}}',
    '{"a":1,"a":2}',
    '{"a":1,"a":1}',
    String.raw`{"\u0061":1}`,
    '{"__proto__":1}',
    '{"constructor":{"prototype":{}}}',
    '{"1":1,"0":0}',
    '{"a b":1,"\\n":2}',
    `[${"0,".repeat(5000)}0]`,
    `"${"x".repeat(100_000)}"`,
    `${"[".repeat(61)}1${"]".repeat(61)}`,
    `${'{"a":'.repeat(61)}1${"}".repeat(61)}`,
    `{${Array.from({ length: 9000 }, (_, index) => `"k${index}":0`).join(",")}}`,
  ];
  for (const text of values) {
    const expected: unknown = JSON.parse(text);
    assert.deepEqual(await seenOf(text), JSON.parse(JSON.stringify(expected)), text.slice(0, 60));
    const before = vendor.requests.length;
    await service.post("/data", `{"config":{"sources":{"acme__sends":true}},"inputs":{"value":${text}}}`);
    const sent = vendor.requests.slice(before).map(({ body }) => JSON.parse(body.toString("utf8")).value as unknown);
    assert.deepEqual(sent, [JSON.parse(JSON.stringify(expected))], text.slice(0, 60));
  }
});

test("a number that is not finite is 422 wherever it stands, and never comes out as null", async () => {
  for (const number of ["1e400", "-1e400", "1e309", `1${"0".repeat(400)}`, "123456789e1000000"]) {
    for (const inputs of [number, `[${number}]`, `{"a":[{"b":${number}}]}`]) {
      const body = `{"config":{"sources":{"acme__any":true}},"inputs":{"value":${inputs}},"more":${number}}`;
      assert.equal((await service.post("/data", body)).statusCode, 422);
    }
  }
});

test("strange strings as values and as names of inputs are given on unchanged, one line of the log a run", async () => {
  const before = (await service.runLines()).length;
  for (const text of NAUGHTY_STRINGS) {
    const body = `{"config":{"sources":{"acme__any":true,"ok__echo":true}},"inputs":{"value":${JSON.stringify(text)},${JSON.stringify(`x${text}`)}:1}}`;
    const reply = await service.post("/data", body);
    assert.equal(reply.statusCode, 200, JSON.stringify(text.slice(0, 60)));
    assert.equal(reply.json().outputs.acme__any.inputs.value, text);
  }
  assert.equal((await service.runLines()).length - before, NAUGHTY_STRINGS.length);
});

test("the checks of all sources of a run have one budget: the list that a few may have is too much for twenty", async () => {
  const ids = Array.from({ length: 20 }, (_, at) => `acme__unique_${at}`);
  const list = Array.from({ length: 10_000 }, (_, at) => [at]);
  const run = (sources: readonly string[]) =>
    service.run(Object.fromEntries(sources.map((id) => [id, true])), { list });
  const some = (await run(ids.slice(0, 2))).json().status as Record<string, { success: boolean }>;
  assert.ok(Object.values(some).every(({ success }) => success));
  const all = (await run(ids)).json().status as Record<string, { success: boolean; message: string }>;
  const failed = Object.values(all).filter(({ success }) => !success);
  assert.ok(failed.length >= 15 && failed.length < 20, `${failed.length} failed`);
  for (const { message } of failed) assert.match(message, /^Adapter error: .*is too large to be checked/);
});
