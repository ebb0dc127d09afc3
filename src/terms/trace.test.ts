import assert from "node:assert/strict";
import { test } from "node:test";
import { readTraceparent, writeTraceparent } from "./trace.ts";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test("a valid field is read, even of a later version", () => {
  assert.deepEqual(readTraceparent(`00-${ID}-${SPAN}-01`), { traceId: ID, parentId: SPAN, flags: "01" });
  assert.deepEqual(readTraceparent(`01-${ID}-${SPAN}-00-more`), { traceId: ID, parentId: SPAN, flags: "00" });
  assert.equal(writeTraceparent({ traceId: ID, flags: "01" }, "b7ad6b7169203331"), `00-${ID}-b7ad6b7169203331-01`);
});

test("anything else is ignored", () => {
  const wrong = [undefined, "", "x", `00-${ID}-${SPAN}`, `ff-${ID}-${SPAN}-01`, `00-${"0".repeat(32)}-${SPAN}-01`];
  const more = [`00-${ID}-${"0".repeat(16)}-01`, `00-${ID.toUpperCase()}-${SPAN}-01`, `00-${ID}-${SPAN}-01-more`];
  const several = [
    `00-${ID}-${SPAN}-01, 00-${ID}-${SPAN}-01`,
    `01-${ID}-${SPAN}-01-${"x".repeat(200)}`,
    `00-${ID}-${SPAN}-01\r\n`,
  ];
  for (const field of [...wrong, ...more, ...several, [`00-${ID}-${SPAN}-01`]])
    assert.equal(readTraceparent(field), null, String(field));
});
