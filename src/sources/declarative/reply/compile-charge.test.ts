import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { listPrice, type ListedRequest } from "../../../sdk/http.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { fakeCall, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { DeclarationError } from "../format/declaration-error.ts";

/** Whether the request was sent as free, and what the source reported about the charge of its reply. */
async function charged(charge: string, inputs: JsonObject, body: JsonObject) {
  const reply = replyOf(200, body);
  const { call, asked } = fakeCall(() => reply, { inputs });
  const source = compileDeclarative(fileWith(`charge: ${charge}`), "acme.yaml");
  await source.run(call);
  const { [listPrice]: most } = asked[0]!.options as ListedRequest;
  return { free: asked[0]!.options.free, most, said: reply.said, listed: reply.listed, declared: source.charge };
}

const TABLE =
  "[{when: body.from_cache, amount: 0}, {when: inputs.n, amount: 0.9, currency: EUR}, {model: per_success, amount: 0.35, currency: EUR}]";

test("of a table the first row that holds counts, and the last is for the rest", async () => {
  assert.deepEqual((await charged(TABLE, {}, { from_cache: true })).said, ["no"]);
  assert.deepEqual((await charged(TABLE, { n: 1 }, { from_cache: true })).said, ["no"]);
  assert.deepEqual((await charged(TABLE, { n: 1 }, {})).said, []);
  const { declared, free } = await charged(TABLE, {}, {});
  assert.deepEqual(declared, { model: "per_success", rows: parse(TABLE) });
  assert.equal(free, false, "it takes the answer to know");
});

test("what hangs on inputs alone is known before anything is sent", async () => {
  const byInputs =
    "[{when: inputs.n, amount: 1, currency: EUR}, {when: inputs.tags, amount: 0}, {when: body.x, amount: 2, currency: EUR}]";
  assert.equal((await charged(byInputs, { tags: ["a"] }, {})).free, true);
  assert.equal((await charged(byInputs, { tags: ["a"], n: 1 }, {})).free, false);
  assert.equal((await charged(byInputs, {}, {})).free, false);
  assert.equal((await charged("[{when: inputs.n, amount: 1, currency: EUR}, {amount: 0}]", {}, {})).free, true);
});

test("of a reply that is a failure, a row that holds says that it is not billed; what does not hold says nothing", async () => {
  const saidOf = async (charge: string, status: number, body: JsonObject, errors = "") => {
    const reply = replyOf(status, body);
    const { call } = fakeCall(() => reply);
    const fault = await faultOf(compileDeclarative(fileWith(`charge: ${charge}${errors}`), "acme.yaml").run(call));
    return [reply.said, fault.reported === null] as const;
  };
  const rows = "[{when: 'status == `422`', amount: 0}, {when: body.from_cache, amount: 0}, {model: per_call}]";
  assert.deepEqual(await saidOf(rows, 422, {}), [["no"], true]);
  assert.deepEqual(await saidOf(rows, 503, { from_cache: true }), [["no"], true]);
  assert.deepEqual(await saidOf(rows, 503, {}), [[], false]);
  const row = "\nerrors: [{when: {status: 422}, kind: input, charged: yes}]";
  assert.deepEqual(await saidOf(rows, 422, {}, row), [[], false]);
  assert.deepEqual(await saidOf("[{when: body.billed, amount: 1, currency: EUR}, {amount: 0}]", 503, {}), [[], false]);
  assert.deepEqual(await saidOf("{model: per_call, when: body.billed}", 503, {}), [[], false]);
});

test("a row that cannot be worked out never makes a bill smaller", async () => {
  const broken = "length(body.n) == `1`";
  assert.deepEqual(
    (await charged(`["{when: x}"]`.replace('"{when: x}"', `{when: '${broken}', amount: 0}`), {}, { n: 1 })).said,
    [],
  );
  assert.deepEqual(
    (await charged(`[{when: '${broken}', amount: 1, currency: EUR}, {amount: 0}]`, {}, { n: 1 })).said,
    [],
  );
});

test("a table is checked when it is loaded", () => {
  for (const [charge, says] of [
    ["[]", /must not be empty/],
    ["[{amount: 0}, {when: body.x, amount: 1, currency: EUR}]", /never do/],
    ["[{when: body.x}]", /"amount"/],
    ["[{when: body.x, amount: 0, model: per_match}]", /last row/],
    ["[{when: inputs.tagss, amount: 0}]", /"tags"/],
    ["[{when: body.x = `1`, amount: 0}]", /"=="/],
    ["[{when: body.x, amout: 0}]", /"amount"/],
    ["[{model: per_cal}]", /per_call/],
    ["[{amount: 1}]", /currency/],
    ["[{amount: 1, currency: EUX}]", /ISO 4217/],
    ["[{amount: 0.1234567, currency: EUR}]", /six decimals/],
    ["[{when: body.x, amount: 1, currency: USD}, {amount: 1, currency: EUR}]", /one currency/],
    ["{model: per_call, amount: 1}", /currency/],
  ] as const) {
    assert.throws(
      () => compileDeclarative(fileWith(`charge: ${charge}`), "acme.yaml"),
      (error) => error instanceof DeclarationError && says.test(error.message),
      charge,
    );
  }
});

test("before a reply, a request costs at most the highest row that can still hold; then what its row says", async () => {
  const eur = (amount: bigint) => ({ amount, currency: "EUR" });
  const plain = await charged(TABLE, {}, {});
  assert.deepEqual([plain.most, plain.listed], [eur(350_000n), [eur(350_000n)]]);
  const dear = await charged(TABLE, { n: 1 }, {});
  assert.deepEqual([dear.most, dear.listed], [eur(900_000n), [eur(900_000n)]]);
  const cached = await charged(TABLE, { n: 1 }, { from_cache: true });
  assert.deepEqual([cached.most, cached.said, cached.listed], [eur(900_000n), ["no"], []]);
  const byReply = await charged("[{when: body.x, amount: 2, currency: EUR}]", {}, {});
  assert.deepEqual([byReply.most, byReply.listed], [eur(2_000_000n), [null]], "no row says what anything else costs");
  assert.equal(
    (await charged("[{when: body.x, amount: 0}]", {}, {})).most,
    undefined,
    "without prices there is no list",
  );
});
