import assert from "node:assert/strict";
import { test } from "node:test";
import { lengthOf, completeAnswer, toEnvelope } from "./envelope.ts";

const STATUS = '{"success":true}';

function answerOf(outputs: readonly (string | Buffer)[]): readonly Buffer[] {
  const entries = outputs.map((output, at) => ({ id: `acme__é${at}`, output, status: STATUS }));
  return completeAnswer(toEnvelope("trx_1", '{"context":"prod"}', entries), 12);
}

test("an answer has the same bytes in one piece or in several", () => {
  const large = JSON.stringify({ text: "ß".repeat(20_000) });
  for (const outputs of [
    [],
    ["{}"],
    [Buffer.from("{}"), "{}"],
    [Buffer.from(large)],
    [large, Buffer.from(large), "{}", Buffer.from("{}")],
  ]) {
    const pieces = answerOf(outputs);
    const parsed = outputs.map((output, at) => [`acme__é${at}`, JSON.parse(output.toString()) as unknown]);
    assert.deepEqual(JSON.parse(Buffer.concat(pieces).toString("utf8")), {
      transaction_id: "trx_1",
      config: { context: "prod" },
      outputs: Object.fromEntries(parsed),
      status: Object.fromEntries(parsed.map(([id]) => [id, JSON.parse(STATUS)])),
      response_time_ms: 12,
    });
    assert.equal(lengthOf(pieces), Buffer.concat(pieces).length);
  }
});

test("large vendor bytes are not copied, and everything between them is one piece", () => {
  const large = Buffer.from(JSON.stringify({ text: "x".repeat(20_000) }));
  const small = Buffer.from('{"a":1}');
  assert.deepEqual(
    answerOf([small, "{}", large, small, "{}", small, large, small]).map((piece) => piece === large),
    [false, true, false, true, false],
  );
  assert.equal(answerOf(Array.from({ length: 100 }, () => Buffer.alloc(1_000, "x"))).length, 1);
});
