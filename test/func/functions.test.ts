import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../rig/service.ts";
import { findsNobody, neverAnswers, repeatsInputs, sendsCredential, source, throws } from "../rig/sources.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/** One function a file; what it returns is what it does. */
const run = (id: string, body: string, more = "") =>
  `export default { id: "dfunc_${id}", title: "${id}", ${more} async run({ inputs, extra, config, context, region, transaction_id, run, pipe, log }) { ${body} } };`;

const FUNCTIONS = {
  echo: "return { output: { inputs, extra, config, context, region, transaction_id } };",
  all: `return { transaction_id: "mine", raw: { a: 1 }, output: { b: 2 }, pipes: { c: 3 }, response_time_ms: -5, success: true, anything: [4] };`,
  output: "return { output: { b: 2 } };",
  nothing: "",
  none: "return null;",
  empty: "return {};",
  piped_nothing: `await pipe("step", () => 1);`,
  refuses: `await pipe("step", () => ({ seen: true })); return { success: false, message: "no such person", output: { partial: true } };`,
  raises: `throw new Error("canary of an author " + inputs.name);`,
  pipes_then_raises: `await pipe("first", () => ({ n: 1 })); await pipe("second", () => { throw new Error("canary"); });`,
  raises_at_once: `throw { toString: null };`,
  list: "return [1];",
  text: `return "text";`,
  output_list: "return { output: [1] };",
  pipes_text: `return { pipes: "x" };`,
  bigint: "return { output: { n: 10n } };",
  merges: `await pipe("a", () => 1); await pipe("b", () => 2); return { pipes: { b: 3, c: 4 } };`,
  asks: "return { output: { answers: await Promise.all(inputs.ask.map(([id, given]) => run(id, given))) } };",
  asks_in_turn:
    "const answers = []; for (const [id, given] of inputs.ask) answers.push(await run(id, given)); return { output: { answers } };",
  pipes_answer: `await pipe("person", () => run("acme__person", inputs)); throw new Error("after");`,
  logs: `for (let at = 0; at < 100; at += 1) log.warn("L".repeat(2_000));`,
  logs_once: `log.warn("said once");`,
  leaves: `run("acme__never", {}); return { output: { left: true } };`,
} as const;

const vendor = await startVendor({ after });
const folder = project(
  { after },
  {
    ...Object.fromEntries(Object.entries(FUNCTIONS).map(([id, body]) => [`functions/${id}.mjs`, run(id, body)])),
    "functions/contract.mjs": run(
      "contract",
      `await run("acme__count", {}); return { output: inputs.age > 100 ? { grade: "old" } : { grade: 7 } };`,
      `inputs: { type: "object", properties: { age: { type: "integer" }, person: { type: "object", properties: { name: { type: "string" } } } }, required: ["age"] },
       output: { type: "object", properties: { grade: { type: "string" } }, required: ["grade"] },`,
    ),
    "functions/waits.mjs": run(
      "waits",
      `await pipe("before", () => "kept"); const late = await run("acme__never", {}); return { output: { late } };`,
      // A tenth of it is left to answer, and on a busy machine that may take long.
      "timeout_ms: 2_500,",
    ),
    "functions/hangs.mjs": run(
      "hangs",
      `await pipe("before", () => "kept"); await new Promise(() => {});`,
      // On a busy machine, it may take long until it begins.
      "timeout_ms: 1_500,",
    ),
  },
);
let counted = 0;
const service = await startService(
  { after },
  {
    project: folder,
    sources: [
      repeatsInputs("acme__person", "name"),
      findsNobody("acme__nobody"),
      throws("acme__broken", new Error("canary of an adapter")),
      neverAnswers("acme__never"),
      neverAnswers("acme__slow", { timeout_ms: 100 }),
      source("acme__count", () => ({ count: ++counted })),
      source("acme__needs", ({ inputs }) => ({ ...inputs }), {
        inputs: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      }),
      sendsCredential("acme__secret", vendor, "/secret"),
      sendsCredential("acme__default", vendor, "/default"),
      sendsCredential("acme__no_key", vendor, "/no_key"),
    ],
    vendors: [vendor],
  },
);
const { a } = service;
const automatic = await service.operator.createWorkflow(a.id, { autoCredentials: true });

interface Sent {
  readonly inputs?: unknown;
  readonly config?: object;
  readonly more?: object;
  readonly workflow?: string;
}

async function call(id: string, { inputs = {}, config = {}, more = {}, workflow = a.workflow }: Sent = {}) {
  const body = { config: { ...config, data_func: `dfunc_${id}` }, inputs, ...more };
  const reply = await service.post("/func", body, { as: { token: a.token, workflow } });
  assert.equal(reply.statusCode, 200, reply.text);
  return reply.json();
}

const standard = async (id: string, sent?: Sent) => {
  const body = await call(id, sent);
  assert.deepEqual(Object.keys(body), ["transaction_id", "config", "outputs", "status", "response_time_ms"]);
  assert.deepEqual([Object.keys(body.outputs), Object.keys(body.status)], [[`dfunc_${id}`], [`dfunc_${id}`]]);
  const [outputs, status] = [body.outputs[`dfunc_${id}`], body.status[`dfunc_${id}`]];
  assert.deepEqual(Object.keys(outputs), ["output", "pipes"]);
  assert.deepEqual(Object.keys(status), [
    "success",
    "message",
    "response_time_ms",
    ...(status.success ? [] : ["failure"]),
  ]);
  assert.ok(Number.isInteger(body.response_time_ms) && status.response_time_ms <= body.response_time_ms + 1);
  return { ...outputs, ...status, transaction_id: body.transaction_id as string, config: body.config };
};
const passthrough = (id: string, sent: Sent = {}) =>
  call(id, { ...sent, config: { ...sent.config, datafunc_response_passthrough: true } });

/** pino's number of the level. */
const WARN = 40;
const warnings = async (transactionId: string) =>
  (await service.logLines())
    .filter((line) => line["event"] === "function_log" && line["transaction_id"] === transactionId)
    .filter((line) => line["level"] === WARN)
    .map((line) => String(line["message"]));

// ---- what a function is given --------------------------------------------------------------------------------------

test("a function gets the inputs as they were sent: nothing is filtered, whatever the depth", async () => {
  const deep = (levels: number): unknown => (levels === 0 ? "end" : { in: [deep(levels - 1)] });
  const inputs = {
    a: null,
    b: [1, { c: "ü\u0000" }],
    "": true,
    toString: 1,
    deep: deep(25),
    big: 12345678901234567000,
  };
  assert.deepEqual((await standard("echo", { inputs })).output.inputs, JSON.parse(JSON.stringify(inputs)));
});

test("extra top-level fields are handed on; the access token and the workflow never are", async () => {
  const body = {
    access_token: a.token,
    workflow: a.workflow,
    config: { data_func: "dfunc_echo" },
    page: 2,
    nested: { any: [null] },
    __proto_like__: 1,
  };
  for (const as of [a, null]) {
    const { outputs } = (await service.post("/func", body, { as })).json();
    assert.deepEqual(outputs.dfunc_echo.output.extra, { page: 2, nested: { any: [null] }, __proto_like__: 1 });
  }
});

test("a function's config is the echoed one without credentials, with the caller's own organization", async () => {
  const canary = service.secrets.add(`canary-${Math.random().toString(36).slice(2)}`);
  const sources = { acme__secret: { credentials: { api_key: canary }, cred_id: null, note: 1 }, acme__person: true };
  const sent = { context: "test", organization_tuid: service.b.id, sources, more: [1] };
  const body = await service.post("/func", { config: { ...sent, data_func: "dfunc_echo" } });
  assert.equal(body.statusCode, 422, "a cred_id that is not a text");
  const { output, config } = await standard("echo", {
    config: { ...sent, sources: { ...sources, acme__secret: { credentials: { api_key: canary }, note: 1 } } },
  });
  assert.deepEqual(output.config, { ...config, sources: { acme__secret: { note: 1 }, acme__person: true } });
  assert.equal(output.config.organization_tuid, a.id);
  assert.deepEqual([output.context, output.region, output.config.more], ["test", "local", [1]]);
});

test("a function knows the transaction it runs in", async () => {
  const { output, transaction_id } = await standard("echo");
  assert.equal(output.transaction_id, transaction_id);
});

// ---- what comes back -----------------------------------------------------------------------------------------------

test("standard mode returns output and pipes, each an empty object when there is none", async () => {
  const { output, pipes, success } = await standard("all");
  assert.deepEqual([output, pipes, success], [{ b: 2 }, { c: 3 }, true]);
  const bare = await standard("output");
  assert.deepEqual([bare.output, bare.pipes, bare.success], [{ b: 2 }, {}, true]);
});

test("passthrough returns the function's own fields at the top level, with the service's own time", async () => {
  const body = await passthrough("all");
  const { response_time_ms, ...fields } = body;
  assert.ok(Number.isInteger(response_time_ms) && response_time_ms >= 0);
  assert.deepEqual(fields, {
    transaction_id: "mine",
    raw: { a: 1 },
    output: { b: 2 },
    pipes: { c: 3 },
    success: true,
    anything: [4],
  });
});

test("in passthrough there is a transaction_id only if the function gave one", async () => {
  assert.deepEqual(Object.keys(await passthrough("output")), ["output", "response_time_ms"]);
});

test("no output is success with empty parts, and the fixed shape in passthrough", async () => {
  for (const id of ["nothing", "none", "empty"]) {
    const { output, pipes, success } = await standard(id);
    assert.deepEqual([output, pipes, success], [{}, {}, true]);
    const body = await passthrough(id);
    assert.deepEqual(Object.keys(body), ["transaction_id", "output", "pipes", "response_time_ms"]);
    assert.match(body.transaction_id, /^trx_/);
    assert.deepEqual([body.output, body.pipes], [{}, {}]);
  }
});

test("recorded steps stand under pipes although the function returned nothing", async () => {
  assert.deepEqual((await standard("piped_nothing")).pipes, { step: 1 });
});

test("steps are recorded beside the pipes that are returned, which win where both name one", async () => {
  assert.deepEqual((await standard("merges")).pipes, { a: 1, b: 3, c: 4 });
  assert.deepEqual((await passthrough("merges")).pipes, { a: 1, b: 3, c: 4 });
});

test("a business failure keeps its message and its partial output", async () => {
  const { success, message, output, pipes } = await standard("refuses");
  assert.deepEqual(
    [success, message, output, pipes],
    [false, "no such person", { partial: true }, { step: { seen: true } }],
  );
  const { response_time_ms: _, ...fields } = await passthrough("refuses");
  assert.deepEqual(fields, {
    success: false,
    message: "no such person",
    output: { partial: true },
    pipes: { step: { seen: true } },
  });
});

test("a function that raises is 200 with a fixed sentence; its own words, which may hold inputs, are in no log but that of development", async () => {
  const { success, message, output, pipes, transaction_id } = await standard("raises", { inputs: { name: "Ada" } });
  assert.deepEqual(
    [success, message, output, pipes],
    [false, "Data function error: the function raised an error", {}, {}],
  );
  assert.deepEqual(await warnings(transaction_id), ["the function failed: Error"]);
  const body = await passthrough("raises_at_once");
  assert.deepEqual(Object.keys(body), ["transaction_id", "output", "pipes", "response_time_ms"]);
});

test("what was recorded before a failure is returned with it, the failed step as well", async () => {
  const recorded = { first: { n: 1 }, second: { success: false, message: "the step raised an error" } };
  const { success, output, pipes } = await standard("pipes_then_raises");
  assert.deepEqual([success, output, pipes], [false, {}, recorded]);
  const body = await passthrough("pipes_then_raises");
  assert.deepEqual(Object.keys(body), ["output", "pipes", "response_time_ms"]);
  assert.deepEqual([body.output, body.pipes], [{}, recorded]);
});

test("anything but an object, or parts that are no objects, is a function error", async () => {
  for (const id of ["list", "text", "output_list", "pipes_text", "bigint"]) {
    const { success, message, output } = await standard(id);
    assert.equal(success, false, id);
    assert.match(message, /^Data function error: ./, id);
    assert.deepEqual(output, {}, id);
  }
});

test("a failed function has a kind on which a client may branch, and none of these may be repeated", async () => {
  for (const [id, kind] of [
    ["none_such", "unknown_function"],
    ["contract", "input"],
    ["raises", "raised"],
    ["list", "contract"],
    ["hangs", "timeout"],
    ["refuses", "reported"],
  ] as const) {
    const { failure } = await standard(id);
    assert.deepEqual(failure, { kind, retryable: false, charged: "no" }, id);
  }
  const workflow = await service.operator.createWorkflow(a.id, { failureDetails: false });
  const { status } = await call("raises", { workflow });
  assert.equal(status.dfunc_raises.failure, undefined);
});

test("names of every object's own properties are simply not found, in both modes", async () => {
  for (const id of ["constructor", "__proto__", "toString", "hasOwnProperty", "dfunc___proto__"]) {
    const { status, outputs } = (await service.post("/func", { config: { data_func: id } })).json();
    assert.deepEqual(Object.keys(status), [id]);
    assert.equal(status[id].message, `Data function not found: ${id}`);
    assert.deepEqual(outputs[id], { output: {}, pipes: {} });
    const config = { data_func: id, datafunc_response_passthrough: true };
    const body = (await service.post("/func", { config })).json();
    assert.deepEqual(Object.keys(body), ["transaction_id", "output", "pipes", "response_time_ms"]);
  }
});

// ---- contracts -----------------------------------------------------------------------------------------------------

test("inputs that break the function's contract are refused by name before any source is called", async () => {
  const before = counted;
  for (const [inputs, message] of [
    [{}, /^Data function error: input age is required$/],
    [{ age: "7" }, /^Data function error: input age must be/],
    [{ age: 7, person: { name: 5 } }, /^Data function error: input person\.name must be/],
  ] as const) {
    const { success, message: said } = await standard("contract", { inputs });
    assert.equal(success, false);
    assert.match(said, message);
  }
  assert.equal(counted, before);
});

test("an input that a function's contract lets through and that resembles one it names is logged, by name alone", async () => {
  const inputs = { age: 101, presom: { name: "canary of a caller" }, colour: 1 };
  const { success, transaction_id } = await standard("contract", { inputs });
  assert.equal(success, true);
  const misspelled = async () =>
    (await service.logLines()).filter(
      (line) => line["event"] === "misspelled_inputs" && line["transaction_id"] === transaction_id,
    );
  await until(async () => (await misspelled()).length > 0);
  const [line] = await misspelled();
  assert.deepEqual(line?.["inputs"], [{ id: "dfunc_contract", name: "presom", meant: "person" }]);
  assert.doesNotMatch(JSON.stringify(line), /canary/);
});

test("an output that breaks the contract is a failure; what is wrong with it is in the log", async () => {
  assert.deepEqual((await standard("contract", { inputs: { age: 101 } })).output, { grade: "old" });
  const { success, message, output, transaction_id } = await standard("contract", { inputs: { age: 7 } });
  assert.deepEqual(
    [success, message, output],
    [false, "Data function error: the function's output breaks its contract", {}],
  );
  assert.match((await warnings(transaction_id)).join(), /its output violates its contract: grade must be/);
});

// ---- run -----------------------------------------------------------------------------------------------------------

interface Answer {
  readonly success: boolean;
  readonly match: boolean;
  readonly message: string;
  readonly output: unknown;
  readonly response_time_ms: number;
}

async function answersTo(ask: readonly (readonly [string, unknown?])[], sent: Sent = {}) {
  const { output, transaction_id } = await standard("asks", { ...sent, inputs: { ask } });
  return { answers: output.answers as Answer[], transaction_id };
}

test("run gives every outcome as a value, in the form of /data, and never throws for a source", async () => {
  const { answers, transaction_id } = await answersTo([
    ["acme__person", { name: "Ada", other: 1 }],
    ["acme__nobody", {}],
    ["acme__broken"],
    ["no__such", {}],
    ["constructor", {}],
    ["acme__needs", {}],
    ["acme__slow", {}],
  ]);
  for (const answer of answers)
    assert.deepEqual(Object.keys(answer), [
      "success",
      "match",
      "message",
      "output",
      "response_time_ms",
      ...(answer.success ? [] : ["failure"]),
    ]);
  assert.deepEqual(
    answers.map(({ success, match, message, output }) => [success, match, message, output]),
    [
      [true, true, "Record found", { inputs: { name: "Ada" } }],
      [true, false, "No record found", {}],
      [false, false, "Adapter error: the adapter of this source failed", {}],
      [false, false, "Adapter not found for no__such", {}],
      [false, false, "Adapter not found for constructor", {}],
      [false, false, "Adapter error: input id is required", {}],
      [false, false, "Adapter error: timed out after 100 ms", {}],
    ],
  );
  const { run, calls } = service.ledgerRows(transaction_id);
  assert.equal(run["unknown_sources"], 2);
  assert.equal(run["unknown_source_names"], '["no__such","constructor"]');
  assert.deepEqual(
    calls.map((row) => [row["source"], row["success"], row["fault_code"]]),
    [
      ["acme__person", 1, null],
      ["acme__nobody", 1, null],
      ["acme__broken", 0, "source.adapter_raised"],
      ["acme__needs", 0, "source.input_invalid"],
      ["acme__slow", 0, "source.timeout"],
    ],
  );
});

test("a source asked twice is called twice, and both calls are on the ledger", async () => {
  const { transaction_id, output } = await standard("asks_in_turn", {
    inputs: { ask: [["acme__count"], ["acme__count"]] },
  });
  const [first, second] = output.answers as { output: { count: number } }[];
  assert.equal(second!.output.count, first!.output.count + 1);
  assert.deepEqual(
    service.ledgerRows(transaction_id).calls.map((row) => [row["ordinal"], row["source"]]),
    [
      [0, "acme__count"],
      [1, "acme__count"],
    ],
  );
});

test("a function's calls take their credentials as /data does: inline, named, automatic, default, none", async () => {
  const [inline, named, byDefault] = ["inline", "named", "default"].map((what) =>
    service.secrets.add(`canary-${what}-${Math.random().toString(36).slice(2)}`),
  );
  const credId = await service.operator.storeCredential(a, { source: "acme__secret", fields: { api_key: named! } });
  const isDefault = { source: "acme__default", fields: { api_key: byDefault! }, isDefault: true };
  await service.operator.storeCredential(a, isDefault);
  const asked = async (id: string, sent: Sent = {}) => {
    const before = vendor.count();
    const { answers, transaction_id } = await answersTo([[id, {}]], sent);
    const [row] = service.ledgerRows(transaction_id).calls;
    return [vendor.requests[before]?.headers["x-api-key"], row!["credential_rule"], answers[0]!.message];
  };
  const entry = (value: object) => ({ config: { sources: { acme__secret: value } } });

  assert.deepEqual(await asked("acme__no_key"), [undefined, "none", "Adapter error: no credential for this source"]);
  assert.deepEqual(await asked("acme__secret", entry({ credentials: { api_key: inline } })), [
    inline,
    "inline",
    "Record found",
  ]);
  assert.deepEqual(await asked("acme__secret", entry({ cred_id: credId })), [named, "named", "Record found"]);
  assert.equal((await asked("acme__secret"))[0], undefined, "without auto-selection and default there is none");
  // Without any entry of config.sources.
  assert.deepEqual(await asked("acme__secret", { workflow: automatic }), [named, "auto", "Record found"]);
  assert.deepEqual(await asked("acme__default"), [byDefault, "default", "Record found"]);
});

test("a source takes no longer than the function has left, and leaves it time to answer", async () => {
  const { success, output, pipes } = await standard("waits");
  assert.deepEqual([success, pipes], [true, { before: "kept" }]);
  assert.equal(output.late.success, false);
  assert.match(output.late.message, /^Adapter error: timed out after \d+ ms$/);
});

test("a function that never answers ends at its own limit, with what it had recorded", async () => {
  const { success, message, pipes } = await standard("hangs");
  assert.deepEqual(
    [success, message, pipes],
    [false, "Data function error: timed out after 1500 ms", { before: "kept" }],
  );
});

test("what a source answered under a step is kept when the function fails after it", async () => {
  const { success, pipes } = await standard("pipes_answer", { inputs: { name: "Ada" } });
  assert.equal(success, false);
  assert.deepEqual(pipes.person.output, { inputs: { name: "Ada" } });
});

test("a call that the function does not await is on the ledger as abandoned, and delays nothing", async () => {
  const { output, transaction_id } = await standard("leaves");
  assert.deepEqual(output, { left: true });
  const [row] = service.ledgerRows(transaction_id).calls;
  assert.deepEqual([row!["source"], row!["fault_code"]], ["acme__never", "source.abandoned"]);
});

test("every run is on the ledger with its function and what it ended with", async () => {
  for (const [id, fault] of [
    ["output", null],
    ["refuses", null],
    ["raises", "function.raised"],
    ["list", "function.contract"],
    ["hangs", "function.timeout"],
  ] as const) {
    const { transaction_id } = await standard(id);
    const { run } = service.ledgerRows(transaction_id);
    assert.deepEqual([run["kind"], run["function_id"], run["function_fault"]], ["func", `dfunc_${id}`, fault]);
  }
});

test("an organization's functions cannot fill the log, and what they log beyond its share is counted", async () => {
  const [RUNS, BURST, PER_SECOND] = [30, 1024 * 1024, 64 * 1024];
  const startedAt = performance.now();
  const call = (id: string, as = service.a) => service.post("/func", { config: { data_func: `dfunc_${id}` } }, { as });
  await Promise.all(Array.from({ length: RUNS }, () => call("logs")));
  await call("logs_once", service.b);
  const seconds = (performance.now() - startedAt) / 1_000;
  const lines = await service.logLines();
  const logged = lines.filter(({ function: id }) => id === "dfunc_logs");
  assert.ok(logged.length > 100);
  assert.ok(JSON.stringify(logged).length < 1.1 * (BURST + seconds * PER_SECOND), `${logged.length} lines`);
  const limited = lines.find(({ event }) => event === "log_quota_used");
  assert.deepEqual([limited?.["organization"], limited?.["of"], limited?.["count"]], [service.a.id, "messages", 1]);
  assert.equal(lines.filter(({ message }) => message === "said once").length, 1);
});
