import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceCase } from "../sdk/source.ts";
import { readJsonExactly } from "../terms/json/json.ts";
import { toWireCase, toWireFields } from "./source-wire.ts";

const LONG = "12345678901234567891";

test("cases and examples are shown with every digit of a long number", () => {
  const each = readJsonExactly(`{"name":"found","inputs":{"id":${LONG}},"expect":{"match":true}}`);
  assert.equal(
    JSON.stringify(toWireCase(each as unknown as SourceCase)),
    `{"name":"found","inputs":{"id":${LONG}},"expects":"record"}`,
  );
  const schema = readJsonExactly(`{"type":"object","properties":{"id":{"type":"integer","examples":[${LONG}]}}}`);
  assert.equal(JSON.stringify(toWireFields(schema as object)[0]!.examples), `[${LONG}]`);
});
