import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { systemClock } from "../terms/clock.ts";
import { findVerbs } from "./find-verbs.ts";
import type { VerbDeps } from "./needs.ts";
import { checkInput, InputError, runVerb } from "./run-verb.ts";
import { defineVerb } from "./verb.ts";

const NEEDS_NOTHING = (): never => assert.fail("nothing was to be opened");
const deps: VerbDeps = {
  clock: { ...systemClock, wall: () => 7 },
  actor: { who: "ada", via: "api" },
  note: NEEDS_NOTHING,
  store: NEEDS_NOTHING,
  sources: NEEDS_NOTHING,
  sealer: NEEDS_NOTHING,
  finder: NEEDS_NOTHING,
  ledger: NEEDS_NOTHING,
  keys: NEEDS_NOTHING,
  copyStore: NEEDS_NOTHING,
  drainLedger: NEEDS_NOTHING,
  functions: NEEDS_NOTHING,
  service: NEEDS_NOTHING,
  projectFolder: NEEDS_NOTHING,
};

const verb = defineVerb({
  summary: "Count",
  example: "--to 3",
  input: Type.Object(
    {
      to: Type.Integer({ minimum: 1 }),
      words: Type.Optional(Type.Array(Type.String({ pattern: "^[a-z]+$" }), { "x-says": "must be plain words" })),
    },
    { additionalProperties: false },
  ),
  changes: false,
  run: async ({ to }, { act }) => ({ to, what: act.what, who: act.who, at: act.wallAt }),
});

test("a verb runs under its own name and the actor's, at one moment", async () => {
  const result = await runVerb("word count", verb, { to: 3 }, deps);
  assert.deepEqual(result, { to: 3, what: "word count", who: "ada", at: 7 });
});

const refused: readonly [unknown, readonly string[]][] = [
  [{}, ["/to"]],
  [{ to: 0 }, ["/to"]],
  [{ to: "3" }, ["/to"]],
  [{ to: 1, canary: 1, other: 2 }, ["/canary", "/other"]],
  [{ to: 1, words: ["fine", "CANARY"] }, ["/words/1"]],
  [{ words: [], canary: 1 }, ["/to", "/canary"]],
  [[], [""]],
  [null, [""]],
  ["canary", [""]],
];
for (const [input, paths] of refused) {
  test(`the input ${JSON.stringify(input)} is refused, naming ${paths.join(" and ") || "the whole"} and no value`, () => {
    assert.throws(
      () => checkInput(verb, input),
      (error: unknown) => {
        assert.ok(error instanceof InputError);
        assert.deepEqual(
          error.problems.map(({ path }) => path),
          paths,
        );
        assert.doesNotMatch(error.message, /CANARY/);
        return true;
      },
    );
  });
}

test("every verb's file declares a verb that says what it is for and takes a closed object", async () => {
  const verbs = findVerbs();
  for (const name of verbs.names) {
    const found = await verbs.load(name);
    assert.match(found.summary, /^[A-Z].*[^.]$/, name);
    assert.equal((found.input as { additionalProperties?: unknown }).additionalProperties, false, name);
    for (const position of found.positional ?? []) assert.ok(position in found.input.properties, name);
  }
  await assert.rejects(verbs.load("no verb"), RangeError);
});
