import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test, type TestContext } from "node:test";
import type { FunctionHost } from "../run/ports.ts";
import { systemClock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import { createFunctions, type Functions } from "./catalog.ts";
import { LoadError } from "../terms/load-error.ts";
import { startPool } from "./pool/pool.kit.ts";

/**
 * Limit for delays of the event loop. If the service checked contracts in its own thread, every hostile schema below
 * would block it for seconds.
 */
const LOOP_MS = 1_500;
const LIMIT_MS = 1_000;
const INNOCENT_MS = 10_000;

interface Rig {
  load(text: string): Promise<string>;
  call(
    id: string,
    inputs?: object,
    limitMs?: number,
  ): Promise<{ readonly ends: string; readonly logs: readonly string[] }>;
}

/** Loads functions, given as the fields of their declarations, into one process beside an innocent one. */
async function startRig(t: TestContext, evaluateWithinMs = 20_000): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), "datarun-contracts-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { pool } = await startPool(t, { processes: 2, spare: false, evaluateWithinMs });
  const functions: Functions = await createFunctions({ files: [], pool });
  let files = 0;
  return {
    load: async (text) => {
      const name = `f${(files += 1)}`;
      const file = join(folder, `${name}.mjs`);
      await writeFile(
        file,
        `export default { id: "dfunc_${name}", title: "T", run: ({ inputs }) => ({ output: inputs }), ${text} };`,
      );
      return (await functions.reload({ file })).id;
    },
    call: async (id, inputs = {}, limitMs = LIMIT_MS) => {
      const logs: string[] = [];
      const host: FunctionHost = {
        runSource: () => new Promise(() => {}),
        pipe: () => {},
        reserveBytes: () => true,
        log: (_, text) => void logs.push(text),
      };
      const argument = JSON.stringify({ inputs, extra: {}, config: {}, context: "dev" });
      const deadlineAt = systemClock.now() + limitMs;
      const job = { organizationId: "org_a", simulated: false, transactionId: "trx_1", deadlineAt, argument };
      try {
        await functions.find(id)!.run(job, host);
        return { ends: "ok", logs };
      } catch (thrown) {
        assert.ok(thrown instanceof Fault);
        const { problem } = thrown.detail;
        return { ends: problem === undefined ? thrown.code : String(problem), logs };
      }
    },
  };
}

/** Runs an innocent function during the attack, and checks that the service's event loop is never blocked too long. */
async function undisturbed(rig: Rig, innocent: string, attack: () => Promise<void>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const [beside] = await Promise.all([rig.call(innocent, { name: "Ada" }, INNOCENT_MS), attack()]);
  delay.disable();
  assert.equal(beside.ends, "ok", "the innocent one beside it failed");
  assert.ok(delay.max / 1e6 < LOOP_MS, `the service's thread was busy for ${(delay.max / 1e6).toFixed(0)} ms`);
}

const INNOCENT = `inputs: { type: "object", required: ["name"] }, output: { type: "object", properties: { name: { type: "string" } } }`;
const DOUBLING = `Object.fromEntries(Array.from({ length: 40 }, (_, at) => ["l" + at,
  at === 39 ? { type: "object" } : { allOf: [{ $ref: "#/$defs/l" + (at + 1) }, { $ref: "#/$defs/l" + (at + 1) }] }]))`;
const BACKTRACKING = `"a".repeat(60) + "!"`;

interface HostileContract {
  readonly name: string;
  readonly text: string;
  readonly inputs?: object;
  readonly ends: readonly string[];
}

const HOSTILE: readonly HostileContract[] = [
  {
    name: "a pattern that an output makes backtrack",
    text: `output: { properties: { a: { type: "string", pattern: "^(a+)+$" } } }, run: () => ({ output: { a: ${BACKTRACKING} } })`,
    ends: ["function.timeout"],
  },
  {
    name: "a careless pattern and a caller's text",
    text: `inputs: { properties: { a: { type: "string", pattern: "^(a+)+$" } } }`,
    inputs: { a: `${"a".repeat(60)}!` },
    ends: ["function.timeout"],
  },
  {
    name: "a pattern for the names of properties",
    text: `output: { patternProperties: { "^(a+)+$": {} } }, run: () => ({ output: { [${BACKTRACKING}]: 1 } })`,
    ends: ["function.timeout"],
  },
  {
    name: "60,000 objects that must all differ",
    text: `output: { properties: { a: { uniqueItems: true } } }, run: () => ({ output: { a: Array.from({ length: 60000 }, (_, b) => ({ b })) } })`,
    ends: ["function.timeout"],
  },
  {
    name: "references that double at each of 40 levels",
    text: `output: { $defs: ${DOUBLING}, $ref: "#/$defs/l0" }, run: () => ({ output: { a: 1 } })`,
    ends: ["function.timeout"],
  },
  {
    name: "a reference to itself",
    text: `output: { $ref: "#" }, run: () => ({ output: { a: 1 } })`,
    ends: ["the contract of its output cannot be checked"],
  },
  {
    name: "a reference to itself through what it holds, which is not an attack",
    text: `output: { type: "object", properties: { a: { $ref: "#" } } }, run: () => ({ output: { a: { a: { a: 1 } } } })`,
    ends: ["the function's output breaks its contract"],
  },
  {
    name: "20,000 values that may each be one of 20,000",
    text: `output: { properties: { a: { items: { enum: Array.from({ length: 20000 }, (_, at) => "value" + at) } } } },
           run: () => ({ output: { a: Array.from({ length: 20000 }, (_, at) => "value" + (at % 100 + 19900)) } })`,
    ends: ["function.timeout"],
  },
  {
    name: "names that read like code",
    text: `output: { properties: { [${JSON.stringify('"]); for (;;); (["')}]: { type: "string", const: "\`\${(() => { for (;;); })()}\`\\u2028*/" } }, required: [${JSON.stringify("'+process.exit()+'")}] },
           run: () => ({ output: {} })`,
    ends: ["the function's output breaks its contract"],
  },
  {
    name: "names of the prototype",
    text: `output: { type: "object", properties: { ["__proto__"]: { type: "string" }, constructor: { type: "number" }, toString: { type: "number" } }, required: ["hasOwnProperty"] },
           run: () => ({ output: {} })`,
    ends: ["the function's output breaks its contract"],
  },
  {
    name: "prototypes that the author has changed",
    text: `output: { type: "object", required: ["a"] },
           run: () => { Object.prototype.a = 1; Array.isArray = () => true; JSON.parse = () => ({ a: 1 }); Object.keys = () => []; return { output: {} }; }`,
    ends: ["the function's output breaks its contract"],
  },
];

test("the time of a contract check delays only its own run", async (t) => {
  const rig = await startRig(t);
  const innocent = await rig.load(INNOCENT);
  for (const hostile of HOSTILE) {
    await t.test(hostile.name, async () => {
      const id = await rig.load(hostile.text);
      await undisturbed(rig, innocent, async () => {
        // Only cases that do not end by themselves run until their deadline.
        const limitMs = hostile.ends.includes("function.timeout") ? LIMIT_MS : INNOCENT_MS;
        const { ends } = await rig.call(id, hostile.inputs, limitMs);
        assert.ok(hostile.ends.includes(ends), `it ended as ${ends}`);
      });
    });
  }
});

/** Deadline of cases that do not end by themselves. */
const IMPATIENT_MS = 1_000;
const UNUSABLE: readonly (readonly [name: string, text: string, says: RegExp])[] = [
  ["a keyword of the wrong kind", "inputs: { type: 7 }", /"inputs" is not a JSON Schema that can be used: schema is/],
  [
    "a broken pattern",
    'output: { pattern: "(" }',
    /"output" is not a JSON Schema that can be used: .*regular expression/,
  ],
  ["a remote reference", 'inputs: { $ref: "https://a.example/b.json" }', /"inputs" is not .*can't resolve reference/],
  ["a language that is not here", 'inputs: { $schema: "https://a.example/s" }', /"inputs" is not .*no schema with key/],
  [
    "one identifier twice",
    'inputs: { $defs: { a: { $id: "x:y" }, b: { $id: "x:y" } } }',
    /"inputs" is not .*resolves to more/,
  ],
  ["a reference to another value", "inputs: { maximum: { $data: '1/a' } }", /"inputs" is not .*maximum must be number/],
  ["both at once", "inputs: { type: 7 }, output: { type: 7 }", /"inputs" is not .*"output" is not/],
  [
    "two references to each other",
    'inputs: { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }',
    /"inputs" is not .*Maximum call stack/,
  ],
  ["a text", 'inputs: "string"', /"inputs" must be a JSON Schema/],
  ["a title of 1 MB", 'title: "x".repeat(1e6)', /"title" must have at most 200 characters/],
  ["10 MB", 'inputs: { description: "x".repeat(1e7) }', /larger than 1 MB/],
  [
    "5,000 levels",
    "inputs: (() => { let a = {}; for (let i = 0; i < 5000; i++) a = { not: a }; return a; })()",
    /nested deeper than 64/,
  ],
  ["a getter without end", "get inputs() { for (;;); }", /timed out after 1000 ms/],
  ["a getter in it without end", "inputs: { get type() { for (;;); } }", /timed out after 1000 ms/],
  ["a proxy without end", "inputs: new Proxy({}, { ownKeys() { for (;;); } })", /timed out after 1000 ms/],
  [
    "more than can be compiled in time",
    `inputs: { $defs: Object.fromEntries(Array.from({ length: 9000 }, (_, at) => ["d" + at, { type: "object", properties: { a: { $ref: "#/$defs/d" + ((at + 1) % 9000) } } }])), $ref: "#/$defs/d0" }`,
    /"inputs" and "output" cannot be compiled|"inputs" is not a JSON Schema that can be used/,
  ],
];

test("an unusable schema is refused when it is loaded, and affects no other function", async (t) => {
  const rig = await startRig(t);
  const impatient = await startRig(t, IMPATIENT_MS);
  // Long enough for the compilation to start.
  const compiling = await startRig(t, 4 * IMPATIENT_MS);
  const innocent = await rig.load(INNOCENT);
  for (const [name, text, says] of UNUSABLE) {
    const its = text.includes("for (;;)") ? impatient : text.includes("9000") ? compiling : rig;
    await t.test(name, () =>
      undisturbed(rig, innocent, async () => {
        await assert.rejects(its.load(text), (thrown) => {
          assert.ok(thrown instanceof LoadError);
          assert.match(thrown.message, says);
          assert.ok(thrown.message.length < 1_000);
          return true;
        });
      }),
    );
  }
});

test("a problem names the field and repeats no value", async (t) => {
  const rig = await startRig(t);
  const id = await rig.load(
    `inputs: { type: "object", properties: { person: { type: "object", properties: { mail: { type: "string", format: "email" } } } }, required: ["person"], additionalProperties: false },
     output: { type: "object", properties: { person: { type: "object", properties: { mail: { minLength: 8 } } } } }`,
  );
  const ends = async (inputs: object) => (await rig.call(id, inputs, INNOCENT_MS)).ends;
  assert.equal(await ends({}), "input person is required");
  assert.equal(await ends({ person: 1 }), "input person must be an object");
  assert.equal(await ends({ person: { mail: "canary" } }), "input person.mail must be in the format email");
  assert.equal(await ends({ person: {}, other: "canary" }), "input other is not a known field");
  const { ends: said, logs } = await rig.call(id, { person: { mail: "a@b.ca" } }, INNOCENT_MS);
  assert.equal(said, "the function's output breaks its contract");
  assert.equal(logs[0], "its output violates its contract: person.mail must have at least 8 characters");
  assert.equal((await rig.call(id, { person: { mail: "canary@b.ca" } }, INNOCENT_MS)).ends, "ok");
});

test("inputs are checked before the author's code is, and an answer that owes nothing is not checked", async (t) => {
  const rig = await startRig(t);
  const late = await rig.load(`inputs: { type: "object", required: ["a"] }, run: () => { for (;;); }`);
  assert.equal((await rig.call(late, {}, INNOCENT_MS)).ends, "input a is required");
  const output = `output: { type: "object", required: ["a"] }`;
  for (const [answer, ends] of [
    ["undefined", "ok"],
    ["{}", "ok"],
    ["{ success: false, output: {} }", "ok"],
    ["{ success: true }", "the function's output breaks its contract"],
    ["{ output: {} }", "the function's output breaks its contract"],
    ["{ output: { a: 1 } }", "ok"],
  ] as const)
    assert.equal(
      (await rig.call(await rig.load(`${output}, run: () => (${answer})`), {}, INNOCENT_MS)).ends,
      ends,
      answer,
    );
});

test("inputs and output may use the same identifier, and words that are none of JSON Schema say nothing", async (t) => {
  const rig = await startRig(t);
  const schema = `{ $id: "https://a.example/same", type: "object", unheard_of: 1, "x-says": "no" }`;
  assert.equal(
    (await rig.call(await rig.load(`inputs: ${schema}, output: ${schema}`), { a: 1 }, INNOCENT_MS)).ends,
    "ok",
  );
});
