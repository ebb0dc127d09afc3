import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../terms/json/json.ts";
import { redactFields, redactText, secretsOf } from "./redact.ts";

const SECRETS = secretsOf({ api_key: "hunter2-key", region: "eu", nested: { pem: "hunter2-key-and-more" } });

test("words of an author are cut, harmless on a terminal, and without the values of the credential", () => {
  assert.equal(
    redactText("sent hunter2-key-and-more, then hunter2-key to eu", SECRETS),
    "sent [credential], then [credential] to eu",
  );
  assert.doesNotMatch(redactText("\u001b[2Jfake\nline\u009b1m\u202e"), /[\p{C}]/u);
  assert.equal(redactText("x".repeat(1_000_000)).length, 2_000);
  assert.equal(redactText({ toString: () => "hunter2-key" }, SECRETS), "object");
});

test("fields of an author are cleaned to their leaves and names, and bounded in number and depth", () => {
  let deep: JsonObject = { end: "hunter2-key" };
  for (let depth = 0; depth < 100; depth += 1) deep = { deep };
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`n${at}`, "\u001b[2J"]));
  const shown = JSON.stringify(redactFields({ deep, wide, "hunter2-key": ["hunter2-key", 7, null] }, SECRETS));
  assert.doesNotMatch(shown, /hunter2|\\u001b/);
  assert.match(shown, /"\[credential\]":\["\[credential\]",7,null\]/);
  assert.ok(shown.length < 2_000, `${shown.length} characters`);
  const hostile = {
    get key(): string {
      throw new Error("hunter2");
    },
  };
  assert.deepEqual(redactFields({ hostile }), { hostile: "unreadable" });
});

test("a long secret is hidden wherever the text is cut", () => {
  const pem = Array.from({ length: 3_200 }, (_, at) => String.fromCharCode(97 + ((at * at + at) % 23))).join("");
  const secrets = secretsOf({ pem, api_key: "hunter2-key" });
  for (const before of [0, 900, 1_990, 2_000, 3_990, 4_000]) {
    const shown = redactText("-".repeat(before) + pem.repeat(3), secrets);
    assert.match(shown, /^-*(\[credential\])*\[?[a-z]{0,11}…?$/, String(before));
    assert.ok(!shown.includes(pem.slice(0, 12)), String(before));
  }
});

test("what an adapter logs at once is bounded altogether, however wide and deep it is", () => {
  const leaves = Array.from({ length: 50 }, () => "x".repeat(2_000));
  const rows = Array.from({ length: 50 }, () => leaves);
  const shown = JSON.stringify(redactFields({ first: 1, table: Array.from({ length: 50 }, () => rows), last: "end" }));
  assert.ok(shown.length < 40_000, `${shown.length} characters`);
  assert.match(shown, /^\{"first":1,"table":\[\[\["x/);
});
