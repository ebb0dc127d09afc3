import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "../terms/schema/type.ts";
import { systemClock } from "../terms/time/clock.ts";
import { findVerbs } from "./find-verbs.ts";
import type { GivenToVerbs, Need } from "./needs.ts";
import { checkInput, InputError, runVerb } from "./run-verb.ts";
import { defineVerb } from "./verb.ts";

const given: GivenToVerbs = {
  clock: { ...systemClock, wall: () => 7 },
  actor: { who: "ada", via: "cli" },
  note: () => assert.fail("there is nothing to say"),
  projectFolder: () => "/project",
  region: () => "here",
};

const verb = defineVerb({
  summary: "Count",
  example: "--to 3",
  input: {
    to: Type.Integer({ minimum: 1 }),
    words: Type.Optional(Type.Array(Type.String({ pattern: "^[a-z]+$" }), { "x-says": "must be plain words" })),
  },
  changes: false,
  role: "viewer",
  needs: [],
  run: async ({ to }, { act }) => ({ to, what: act.what, who: act.who, at: act.wallAt }),
});

test("what is wrong with an entry of a list is said in the words of the entries, if they have any", () => {
  const entry = Type.String({ pattern: "^(day|order)=", "x-says": "must be day or order, then =" });
  const input = Type.Object({ map: Type.Array(entry, { minItems: 2, "x-says": "must be two or more" }) });
  const problemsOf = (map: unknown) => {
    try {
      checkInput({ input }, { map });
      return [];
    } catch (error) {
      return (error as InputError).problems.map(({ path, message }) => `${path} ${message}`);
    }
  };
  assert.deepEqual(problemsOf(["day=a", "foo=Ref"]), ["/map/1 must be day or order, then ="]);
  assert.deepEqual(problemsOf(["day=a"]), ["/map must be two or more"]);
});

test("a verb runs under its own name and the actor's, at one moment", async () => {
  const result = await runVerb("word count", verb, { to: 3 }, given);
  assert.deepEqual(result, { to: 3, what: "word count", who: "ada", at: 7 });
});

test("a verb gets what it names and nothing else", async () => {
  const names = (needs: readonly Need[]) =>
    runVerb(
      "folder show",
      defineVerb({ ...SHOW, needs, run: async (_, call) => ({ keys: Object.keys(call).sort() }) }),
      {},
      given,
    );
  const basics = ["act", "actor", "clock", "note", "onProgress"];
  assert.deepEqual(await names([]), { keys: basics });
  assert.deepEqual(await names(["projectFolder"]), { keys: [...basics, "projectFolder"] });
  await assert.rejects(names(["projectFolder", "store"]), /"folder show" needs store, which it is not given here/);
});

const SHOW = {
  summary: "Show the folder",
  example: "",
  input: {},
  changes: false,
  role: "viewer",
} as const;

// A verb's code does not compile if it uses a need that the verb does not name.
defineVerb({ ...SHOW, needs: ["projectFolder"], run: async (_, { projectFolder }) => ({ folder: projectFolder() }) });
// @ts-expect-error: it names the region and takes the project's folder
defineVerb({ ...SHOW, needs: ["region"], run: async (_, { projectFolder }) => ({ folder: projectFolder() }) });
// @ts-expect-error: it names nothing
defineVerb({ ...SHOW, needs: [], run: async (_, { projectFolder }) => ({ folder: projectFolder() }) });

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

test("of a long input the first problem is named, and of one that a person writes every one", () => {
  const long = { to: 0, words: Array.from({ length: 50_000 }, () => "1"), ...numbered(9_000) };
  assert.throws(
    () => checkInput(verb, long),
    (error: InputError) => error.problems.length === 1 && error.message.length < 300,
  );
  assert.throws(
    () => checkInput(verb, { to: 0, words: ["1"], other: 1 }),
    (error: InputError) => error.problems.length === 3,
  );
});

test("a list that is too long is refused for that, before its entries are compared with each other", () => {
  let compared = 0;
  const entry = () => ({
    get a() {
      return (compared += 1);
    },
  });
  const lists = {
    ...SHOW,
    needs: [],
    input: { list: Type.Array(Type.Enum(["a"]), { maxItems: 3, uniqueItems: true }) },
    run: async () => ({}),
  } as const;
  assert.throws(
    () => checkInput(defineVerb(lists), { list: Array.from({ length: 1_000 }, entry) }),
    /at most 3 entries/,
  );
  assert.ok(compared < 5_000, String(compared));
});

function numbered(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at]));
}
