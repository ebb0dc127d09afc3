import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { SourceDeclaration } from "../../src/sdk/source.ts";
import { Fault } from "../../src/terms/fault.ts";
import { startService } from "../rig/service.ts";
import { answers, neverAnswers, source } from "../rig/sources.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after }, { paths: { "/ask": json({ ok: true }) } });

/** Texts of strangers, which no client may read. */
const STRANGE = "stranger's text 4f1c at /srv/secret.ts:1:1";

class WithGetter extends Error {
  override get message(): string {
    throw new Error(STRANGE);
  }
}
const hostileProxy = new Proxy(
  {},
  {
    get: () => {
      throw new Error(STRANGE);
    },
    ownKeys: () => {
      throw new Error(STRANGE);
    },
    has: () => {
      throw new Error(STRANGE);
    },
    getPrototypeOf: () => {
      throw new Error(STRANGE);
    },
  },
);
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
let deep: Record<string, unknown> = {};
for (let level = 0; level < 100_000; level += 1) deep = { deep };

const THROWN: Record<string, unknown> = {
  error: new Error(STRANGE),
  type_error: new TypeError(STRANGE),
  text: STRANGE,
  number: 0,
  nothing: undefined,
  null: null,
  object: { message: STRANGE },
  function: () => STRANGE,
  symbol: Symbol(STRANGE),
  bigint: 1n,
  getter: new WithGetter(),
  proxy: hostileProxy,
  frozen: Object.freeze(new Error(STRANGE)),
  with_cause: new Error(STRANGE, { cause: new Error(STRANGE) }),
  own_cause: cycle,
  aggregate: new AggregateError([new Error(STRANGE)], STRANGE),
  abort: new DOMException(STRANGE, "AbortError"),
  request_fault: new Fault("request.unauthenticated"),
  function_fault: new Fault("function.raised"),
  promise: Promise.resolve(STRANGE),
};
const selfCaused = new Error(STRANGE);
selfCaused.cause = selfCaused;
THROWN["self_caused"] = selfCaused;
THROWN["framed"] = new Error(`x\n    at ${STRANGE}`);
/** Looking at these, as waiting for a result does, throws already: then it is the adapter that failed. */
const THROWS_WHEN_LOOKED_AT = /__(proxy|revoked)$/;

const RETURNED: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  text: () => STRANGE,
  number: () => 1,
  yes: () => true,
  bigint: () => 1n,
  symbol: () => Symbol(STRANGE),
  function: () => () => STRANGE,
  list: () => [{ a: 1 }],
  date: () => new Date(),
  map: () => new Map([["a", 1]]),
  error: () => new Error(STRANGE),
  buffer: () => Buffer.from("{}"),
  regexp: () => /x/,
  class: () =>
    new (class Record_ {
      a = 1;
    })(),
  boxed: () => Object("text"),
  cycle: () => cycle,
  bigint_within: () => ({ a: [1n] }),
  proxy: () => hostileProxy,
  getter: () => ({
    get a() {
      throw new Error(STRANGE);
    },
  }),
  to_json_throws: () => ({
    toJSON() {
      throw new Error(STRANGE);
    },
  }),
  to_json_text: () => ({ toJSON: () => STRANGE }),
  to_json_list: () => ({ toJSON: () => [1] }),
  to_json_nothing: () => ({ toJSON: () => undefined }),
  not_a_number: () => ({ a: Number.NaN }),
  infinite: () => ({ a: { b: [Infinity] } }),
  map_within: () => ({ a: new Map([["a", 1]]) }),
  class_within: () => ({
    a: [
      new (class Record_ {
        a = 1;
      })(),
    ],
  }),
  buffer_within: () => ({ a: new Uint8Array(3) }),
  missing_entry: () => ({ a: [undefined] }),
  hole: () => ({ a: Array(2) }),
  function_entry: () => ({ a: [() => 1] }),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
};

/** The same thing many times over: small in memory, and no end of text. */
let manifold: unknown = [1];
for (let level = 0; level < 40; level += 1) manifold = [manifold, manifold];

const TOO_MUCH: Readonly<Record<string, () => unknown>> = {
  long: () => ({ a: "x".repeat(50_000_000) }),
  deep: () => deep,
  wide: () => ({ a: Array(200_000).fill(0) }),
  manifold: () => ({ manifold }),
  bytes: () => ({ a: "\u6f22".repeat(4_000_000) }),
};

/** Takes a fault of the service's own and writes on it, as one does with errors. */
const rewritesFault = source(
  "rewrites__fault",
  async ({ http }) => {
    try {
      return await http.get("http://undeclared.example/");
    } catch (fault) {
      throw Object.assign(fault as Error, { code: "EMINE", message: STRANGE });
    }
  },
  { origins: [vendor.origin] },
);
const throwing = [
  rewritesFault,
  ...Object.entries(THROWN).flatMap(([name, thrown]) => [
    source(`sync__${name}`, () => {
      throw thrown;
    }),
    source(`async__${name}`, async () => {
      await Promise.resolve();
      throw thrown;
    }),
  ]),
];
const returning = Object.entries(RETURNED).flatMap(([name, make]) => [
  source(`returns__${name}`, make),
  source(`resolves__${name}`, async () => make()),
]);
const tooMuch = Object.entries(TOO_MUCH).map(([name, make]) => source(`too_much__${name}`, make));
const fine: readonly SourceDeclaration[] = [
  source("fine__null_prototype", () => Object.assign(Object.create(null), { a: 1 })),
  source("fine__to_json", () => ({ toJSON: () => ({ a: 1 }) })),
  source("fine__undefined_fields", () => ({ a: 1, b: undefined, c: () => 1 })),
  answers("fine__prototype_names", JSON.parse('{"__proto__":{"a":1},"constructor":1}')),
  source("fine__thenable", () => ({ then: (resolve: (value: unknown) => void) => resolve({ a: 1 }) })),
  answers("fine__strange_texts", { a: "\ud800", b: "\u2028</script>", "c\0": "\r\n" }),
];
let lateHttp: unknown;
let abortedAt = 0;
const untimely: readonly SourceDeclaration[] = [
  neverAnswers("late__never", { timeout_ms: 80 }),
  source(
    "late__ignores_signal",
    ({ signal }) => new Promise(() => signal.addEventListener("abort", () => void (abortedAt += 1))),
    { timeout_ms: 80 },
  ),
  source("late__rejects_after", () => new Promise((_, reject) => setTimeout(() => reject(new Error(STRANGE)), 200)), {
    timeout_ms: 80,
  }),
  source("late__thenable", () => ({ then: () => {} }), { timeout_ms: 80 }),
  source(
    "late__calls_after",
    ({ http }) =>
      new Promise(
        () =>
          void setTimeout(() => {
            lateHttp = http.get(`${vendor.origin}/ask`).catch((thrown: unknown) => thrown);
          }, 200),
      ),
    { timeout_ms: 80, origins: [vendor.origin] },
  ),
];
const service = await startService(
  { after },
  { sources: [...throwing, ...returning, ...tooMuch, ...fine, ...untimely], vendors: [vendor] },
);

function asked(sources: readonly SourceDeclaration[]): Record<string, true> {
  return Object.fromEntries(sources.map(({ id }) => [id, true]));
}

async function messagesOf(sources: readonly SourceDeclaration[]): Promise<Record<string, string>> {
  const messages: Record<string, string> = {};
  for (let at = 0; at < sources.length; at += 90) {
    const reply = await service.run(asked(sources.slice(at, at + 90)));
    assert.equal(reply.statusCode, 200);
    assert.ok(!reply.text.includes("stranger"), "a stranger's text reached the client");
    for (const [id, status] of Object.entries<{ message: string }>(reply.json().status)) messages[id] = status.message;
  }
  return messages;
}

test("whatever an adapter throws, at once or later, is Adapter error: in one fixed sentence", async () => {
  const messages = await messagesOf(throwing);
  for (const { id } of throwing) assert.equal(messages[id], "Adapter error: the adapter of this source failed", id);
});

test("whatever an adapter returns that is no plain JSON object is Unexpected error: and costs that source alone", async () => {
  const messages = await messagesOf(returning);
  for (const { id } of returning) {
    if (THROWS_WHEN_LOOKED_AT.test(id)) assert.match(messages[id]!, /^(Adapter|Unexpected) error: /);
    else assert.equal(messages[id], "Unexpected error: the result could not be collected", id);
  }
});

test("a result that is more than an answer may hold is refused before it is written, in bytes and not in letters", async () => {
  const messages = await messagesOf(tooMuch);
  const words = {
    long: "is too large",
    deep: "is nested too deeply",
    wide: "holds too many values",
    manifold: "holds too many values",
    bytes: "is too large",
  };
  for (const [name, says] of Object.entries(words)) {
    assert.equal(
      messages[`too_much__${name}`],
      `Adapter error: the vendor's answer cannot be used: the result ${says}`,
    );
  }
});

test("what can be sent as a JSON object is sent as JSON sends it", async () => {
  const { outputs, status } = (await service.run(asked(fine))).json();
  for (const { id } of fine) assert.equal(status[id].success, true, id);
  for (const id of ["fine__null_prototype", "fine__to_json", "fine__undefined_fields", "fine__thenable"])
    assert.deepEqual(outputs[id], { a: 1 }, id);
  assert.deepEqual(Object.keys(outputs.fine__prototype_names), ["__proto__", "constructor"]);
  assert.deepEqual(outputs.fine__strange_texts, { a: "\ud800", b: "\u2028</script>", "c\0": "\r\n" });
});

test("a source has ended at its deadline, whatever its adapter does with its signal", async () => {
  const { status } = (await service.run(asked(untimely))).json();
  for (const { id } of untimely) {
    assert.match(status[id].message, /^Adapter error: timed out after \d+ ms$/, id);
    assert.ok(status[id].response_time_ms > 0 && status[id].response_time_ms < 5000);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(abortedAt, 1, "who listens is told");
});

test("an adapter that goes on after its end can send nothing more", async () => {
  const thrown = (await lateHttp) as Fault;
  assert.equal(thrown.code, "source.stopped");
  assert.equal(vendor.count(), 0);
});

test("the log says the cause of a failure, by class and location, and not in the words of the code that threw it", async () => {
  const calls = (await service.runLines()).flatMap(
    (line) => line["calls"] as { source: string; cause?: string; fault?: string }[],
  );
  const typeError = calls.find(({ source }) => source === "sync__type_error")!;
  assert.equal(typeError.fault, "source.adapter_raised");
  assert.match(typeError.cause!, /^TypeError at .*adapters\.test\.ts/);
  assert.ok(!JSON.stringify(await service.logLines()).includes("stranger"));
});

test("after all that, the service answers as ever", async () => {
  assert.equal((await service.send("GET", "/status")).statusCode, 200);
  assert.equal((await service.run(asked(fine))).statusCode, 200);
});
