import assert from "node:assert/strict";
import { test } from "node:test";
import { newId, timeOfId, uuidV7 } from "./ids.ts";

const AT = Date.UTC(2026, 0, 1);

test("ids are UUIDs of version 7, all different, also when many are made in one millisecond", () => {
  const ids = Array.from({ length: 1_000 }, () => uuidV7(AT));
  for (const id of ids) assert.match(id, /^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  assert.equal(new Set(ids.map((id) => id.slice(13))).size, ids.length);
});

test("every digit behind the time is random, except for the version, and half of the variant", () => {
  const ids = Array.from({ length: 2_000 }, () => uuidV7(AT));
  for (let at = 13; at < 32; at += 1) {
    const seen = new Set(ids.map((id) => id[at]));
    assert.equal(seen.size, at === 16 ? 4 : 16, `digit ${at}`);
  }
});

test("an id has the time that it is given, also if that is earlier than the last one, or cannot be written", () => {
  for (const wallMs of [AT, AT, AT + 1, AT - 1, 0, 2 ** 48 - 1, AT])
    assert.equal(timeOfId("transaction", newId("transaction", wallMs)), wallMs);
  assert.equal(timeOfId("budget", newId("budget", -1)), 0);
  assert.equal(timeOfId("budget", newId("budget", 2 ** 48)), 2 ** 48 - 1);
});
