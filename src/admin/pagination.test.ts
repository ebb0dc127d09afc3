import assert from "node:assert/strict";
import { test } from "node:test";
import { findVerbs } from "./find-verbs.ts";
import { pagedByCursor, readPageOf } from "./pagination.ts";

/** Lists of hand-written files, which are short and shown completely. */
const SHORT = new Set(["source list", "function list"]);
/** `after` is the later of two versions. What they list is not paged: it is limited to the files of those two. */
const COMPARING = new Set(["function diff", "source diff"]);

test("every list that can grow is paged, and every paged list has the same inputs and the same `next`", async () => {
  const verbs = findVerbs();
  const { limit, after } = pagedByCursor() as unknown as Record<string, Record<string, unknown>>;
  for (const name of verbs.names) {
    const { input, result } = await verbs.load(name);
    const next = (result as { properties?: Record<string, object> } | undefined)?.properties?.["next"];
    const isPaged = next !== undefined;
    if (name.endsWith(" list") && !SHORT.has(name)) assert.ok(isPaged, `${name} is not paged`);
    assert.equal(Object.hasOwn(input.properties, "after"), isPaged || COMPARING.has(name), name);
    if (!isPaged) continue;
    assert.deepEqual(input.properties["limit"], limit, name);
    const given = input.properties["after"] as Record<string, unknown>;
    assert.deepEqual([given["description"], given["x-says"]], [after!["description"], after!["x-says"]], name);
    assert.ok(given["pattern"] !== undefined || given["maxLength"] !== undefined, name);
  }
});

test("sums are paged by their keys, also where a key is missing or has other letters", async () => {
  const keys = [null, "a", "a,b", "%", "ü", "😀", "Z"];
  const lines = keys.flatMap((key) => ["EUR", null].map((currency) => ({ key, currency })));
  const seen: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await readPageOf(
      lines,
      { limit: 1, ...(after !== undefined && { after }) },
      () => {},
      (line) => [line.key, line.currency],
    );
    seen.push(...page.lines);
    after = page.next.next;
    assert.ok(after === undefined || /^[\x21-\x7e]+$/.test(after), "it can be given on a command line");
  } while (after !== undefined);
  assert.equal(seen.length, lines.length);
  assert.deepEqual(new Set(seen), new Set(lines));
});
