import assert from "node:assert/strict";
import { test } from "node:test";
import { leastCpuMs } from "../../../terms/platform/cpu-time.kit.ts";
import type { Json } from "../../../terms/json/json.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { fakeCall, fileWith, replyOf } from "../fake-call.kit.ts";
import { applyFilter, FilterProblem, FILTERS } from "./filters.ts";

async function filtered(steps: string, name: Json | undefined): Promise<Json | undefined> {
  const template = JSON.stringify(`{{ inputs.name | ${steps} }}`);
  const file = fileWith(`request: {method: POST, url: 'https://api.acme.example/', body: {json: {v: ${template}}}}`);
  const { call, asked } = fakeCall(() => replyOf(200), { inputs: name === undefined ? {} : { name } });
  await compileDeclarative(file, "a.yaml").run(call);
  return (JSON.parse(String(asked[0]?.options.body)) as Record<string, Json>)["v"];
}

const EXAMPLES: readonly (readonly [steps: string, value: Json | undefined, made: Json | undefined])[] = [
  ["upper", "ab1", "AB1"],
  ["lower", "AB1", "ab1"],
  ["trim", " a ", "a"],
  ["digits", "+44 (0)20", "44020"],
  ["alphanumeric", "DE 123-4", "DE1234"],
  ["alphanumeric('+*')", "1+234.56 W", "1+23456W"],
  ["zero_pad(10)", "320193", "0000320193"],
  ["zero_pad(10)", 320193, "0000320193"],
  ["first(2)", "é😀x", "é😀"],
  ["last(4)", "123456789", "6789"],
  ["last(4)", "89", "89"],
  ["map('GR', 'EL')", "GR", "EL"],
  ["map('GR', 'EL')", "DE", "DE"],
  ["without_prefix('DE')", "de123", "123"],
  ["e164", "+44 20 7946 0018", "+442079460018"],
  ["e164('GB')", "020 7946 0018", "+442079460018"],
  ["date('DD/MM/YYYY')", "2024-02-29", "29/02/2024"],
  ["date('D.M.YY')", "2024-02-09T10:00:00Z", "9.2.24"],
  ["date('YYYYMMDDTHH:mm:ss.SSS')", "2024-02-09T10:05:06.7+01:00", "20240209T10:05:06.700"],
  ["percent_encode", "a b/é", "a%20b%2F%C3%A9"],
  ["percent_encode('/:')", "/a b:é/", "/a%20b:%C3%A9/"],
  ["sort_parameters", "b=2&a-b=1&a=2&a=10&c", "a=10&a=2&a-b=1&b=2&c"],
  ["base64", "é", "w6k="],
  ["base64url", "??>", "Pz8-"],
  ["sha256", "a", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"],
  ["sha512('base64url')", "", "z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg_SpIdNs6c5H0NE8XYXysP-DGNKHfuwvY7kxvUdBeoGlODJ6-SfaPg"],
  ["sha1('base64')", "a", "hvfkN/qlp/zhXR3cuerq6jd2Z7g="],
  ["md5", "a", "0cc175b9c0f1b6a831c399e269772661"],
  ["lucene_quote", 'a"b\\c', '"a\\"b\\\\c"'],
  ["default('x')", undefined, "x"],
  ["default(3)", "y", "y"],
  ["join(',')", ["a", "b"], "a,b"],
  ["join(',')", [], undefined],
  ["upper", ["a", "b"], ["A", "B"]],
  ["upper", undefined, undefined],
  ["trim | upper | first(1)", " abc", "A"],
  ["json", { a: [1] }, '{"a":[1]}'],
]; // oxfmt-ignore

for (const [steps, value, made] of EXAMPLES) {
  test(`${steps} of ${JSON.stringify(value)} is ${JSON.stringify(made)}`, async () => {
    assert.deepEqual(await filtered(steps, value), made);
  });
}

test("every filter has an example here", () => {
  const shown = new Set(EXAMPLES.flatMap(([steps]) => steps.split("|").map((step) => /[a-z0-9_]+/.exec(step)?.[0])));
  assert.deepEqual(
    Object.keys(FILTERS).filter((name) => !shown.has(name)),
    [],
  );
});

for (const [steps, value] of [
  ["e164", "12"],
  ["e164", "call me at +1 415 555 2671 or never"],
  ["e164", "+1 415 555 2671 ext 12"],
  ["last(0)", "123456789"],
  ["first(0)", "123456789"],
  ["trim", "  "],
  ["trim", ""],
  ["trim", ["a", "  "]],
  ["digits", "none"],
  ["alphanumeric", "--"],
  ["without_prefix('DE')", "de"],
  ["date('YYYY')", "2024-02-30"],
  ["date('YYYY')", "29.02.2024"],
  ["date('HH:mm')", "2024-02-29"],
  ["upper", { a: 1 }],
  ["join(',')", ["a,b"]],
] as const) {
  // oxfmt-ignore
  test(`${steps} refuses ${JSON.stringify(value)}`, async () => {
    await assert.rejects(filtered(steps, value as Json), { code: "source.input_invalid" });
  });
}

const ARGUMENTS: Readonly<Record<string, readonly (string | number)[]>> = {
  zero_pad: [9],
  first: [3],
  last: [3],
  map: ["a", "b"],
  without_prefix: ["x"],
  date: ["YYYY"],
  default: ["x"],
  join: [","],
};

test("every filter takes a long text in the time of its length, whatever is in it", () => {
  for (const piece of ["a", " ", "=", "0", "+1", '\\"', "2024-01-01T", "😀", "ext. ", "(", "-"]) {
    const text = piece.repeat(Math.floor(500_000 / piece.length));
    for (const [name, filter] of Object.entries(FILTERS)) {
      const { user: before } = process.cpuUsage();
      try {
        applyFilter(filter, text, ARGUMENTS[name] ?? []);
      } catch (error) {
        assert.ok(error instanceof FilterProblem, name);
      }
      const tookMs = (process.cpuUsage().user - before) / 1000;
      assert.ok(tookMs < 500, `${name} of ${piece}: ${tookMs} ms`);
    }
  }
});

test("every filter processes a long list in bounded time, or refuses it first", () => {
  for (const entry of ["+14155552671", "2024-01-01", "1(415)555-2671 x", "é1", '\\"'.repeat(10)]) {
    const list = Array.from({ length: 49_000 }, () => entry);
    for (const [name, filter] of Object.entries(FILTERS)) {
      leastCpuMs(50, () => {
        try {
          applyFilter(filter, list, ARGUMENTS[name] ?? []);
        } catch (error) {
          assert.ok(error instanceof FilterProblem, name);
        }
      });
    }
  }
});

test("a list of a thousand entries is not too long for any filter", () => {
  const date = FILTERS["date"]!;
  assert.equal(
    (
      applyFilter(
        date,
        Array.from({ length: 1_000 }, () => "2024-01-01"),
        ["YY"],
      ) as string[]
    ).length,
    1_000,
  );
});

test("what is left out of a text of a megabyte takes little time", () => {
  leastCpuMs(10, () => assert.equal(applyFilter(FILTERS["digits"]!, "é1".repeat(400_000), []), "1".repeat(400_000)));
});

test("a quoted text of a megabyte takes bounded time, and half a character does not change", () => {
  const quote = FILTERS["lucene_quote"]!;
  leastCpuMs(50, () => applyFilter(quote, '\\"'.repeat(500_000), []));
  assert.equal(applyFilter(quote, '\ud83d"é', []), '"\ud83d\\"é"');
});
