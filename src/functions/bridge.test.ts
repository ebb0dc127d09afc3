import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Fault } from "../terms/fault.ts";
import { startPool, type PoolRig } from "./pool/pool.kit.ts";

let rig: PoolRig;
before(async () => {
  rig = await startPool({ after: () => {} }, { processes: 2, spare: false });
});
after(() => rig.pool.close());

async function outputOf(text: string, options = {}): Promise<unknown> {
  const tried = await rig.attempt(text, options);
  assert.equal(tried.thrown, undefined, String((tried.thrown as Fault | undefined)?.cause));
  return JSON.parse(tried.json!);
}

test("a function gets its argument, asks sources, records steps and answers", async () => {
  const tried = await rig.attempt(
    `async ({ inputs, extra, config, context, region, transaction_id, run, pipe, log }) => {
      log.info("starting", { a: 1 });
      const found = await run("acme__people", { name: inputs.name });
      const length = await pipe("length", () => found.output.echo.name.length);
      await pipe("broken", () => { throw new Error("my own words"); }).catch(() => {});
      return { output: { found, length, extra, config, context, region, transaction_id }, pipes: {} };
    }`,
    { argument: { inputs: { name: "Ada" }, extra: { e: 1 }, config: { c: 2 }, region: "eu", transaction_id: "trx_1" } },
  );
  const found = { success: true, match: true, message: "", output: { echo: { name: "Ada" } }, response_time_ms: 1 };
  assert.deepEqual(JSON.parse(tried.json!).output, {
    found,
    length: 3,
    extra: { e: 1 },
    config: { c: 2 },
    context: "dev",
    region: "eu",
    transaction_id: "trx_1",
  });
  assert.deepEqual(tried.calls, [{ source: "acme__people", inputs: '{"name":"Ada"}' }]);
  assert.deepEqual(tried.pipes, [
    { name: "length", json: "3" },
    { name: "broken", json: '{"success":false,"message":"the step raised an error"}' },
  ]);
  assert.deepEqual(tried.logs, ['starting {"a":1}', "the step failed: Error", "the step failed: Error: my own words"]);
});

test("nothing returned is nothing, and an empty object is an object", async () => {
  assert.equal((await rig.attempt("() => {}")).json, null);
  assert.equal((await rig.attempt("() => null")).json, null);
  assert.equal((await rig.attempt("() => ({})")).json, "{}");
});

test("what a function throws goes to the log, short, and not to the client", async () => {
  const tried = await rig.attempt("() => { throw new TypeError('secret words ' + 'x'.repeat(1e6)); }");
  assert.ok(tried.thrown instanceof Fault);
  assert.equal(tried.thrown.says, "Data function error: the function raised an error");
  assert.equal(tried.logs[0], "the function failed: TypeError");
  assert.match(tried.logs[1]!, /^the function failed: TypeError: secret words/);
  assert.ok(tried.logs[1]!.length < 350);
});

test("recorded steps are there although the function never ends", async () => {
  const tried = await rig.attempt("async ({ pipe }) => { await pipe('one', () => 1); for (;;); }", { limitMs: 300 });
  assert.equal((tried.thrown as Fault).code, "function.timeout");
  assert.deepEqual(tried.pipes, [{ name: "one", json: "1" }]);
});

test("at most eight calls are in progress and a hundred are made, and the next is refused with a reason", async () => {
  let most = 0;
  const text = `async ({ run }) => {
    const results = await Promise.allSettled(Array.from({ length: 105 }, (_, n) => run("wait_2", { n })));
    return { made: results.filter((one) => one.status === "fulfilled").length, why: results.at(-1).reason.message };
  }`;
  const tried = await rig.attempt(text, {
    onCall: (underWay: number) => {
      most = Math.max(most, underWay);
    },
  });
  assert.deepEqual(JSON.parse(tried.json!), {
    made: 100,
    why: "run(source, inputs): a run may make at most 100 calls",
  });
  assert.equal(tried.calls.length, 100);
  assert.equal(most, 8);
});

test("after the end no call is made", async () => {
  const tried = await rig.attempt(
    "({ run }) => { const later = async () => { for (let n = 0; n < 50; n++) await run('late'); }; void later(); setTimeout(() => run('later'), 1); return {}; }",
  );
  assert.equal(tried.json, "{}");
  const quiet = tried.calls.length;
  assert.ok(quiet <= 1);
  await rig.attempt("({ run }) => run('wait_50')");
  assert.equal(tried.calls.length, quiet);
});

test("a call without a source or with inputs that are not an object is refused inside", async () => {
  const text = `async ({ run, pipe }) => {
    const why = (promise) => promise.then(() => "made", (error) => error.message);
    const deep = []; let at = deep; for (let n = 0; n < 100; n++) at = at[0] = [];
    return {
      whys: await Promise.all([why(run()), why(run({})), why(run("a", 1)), why(run("a", [])), why(run("a", { a: "x".repeat(2e6) })),
        why(run("a", { deep })), why(run("x".repeat(200))), why(pipe("", () => 1)), why(pipe("a", 1))]),
    };
  }`;
  const tried = await rig.attempt(text);
  const { whys } = JSON.parse(tried.json!) as { whys: string[] };
  assert.ok(!whys.includes("made"), whys.join("\n"));
  assert.equal(tried.calls.length, 0);
});

const POLLUTE = `
  const bad = () => { throw new Error("polluted"); };
  globalThis.leftBehind = 1;
  for (const proto of [Object.prototype, Array.prototype, String.prototype, Function.prototype, Promise.prototype, Map.prototype, Error.prototype, RegExp.prototype, Number.prototype])
    for (const name of Object.getOwnPropertyNames(proto))
      if (name !== "constructor" && name !== "caller" && name !== "arguments" && name !== "__proto__") try { Object.defineProperty(proto, name, { value: bad, writable: true, configurable: true }); } catch {}
  for (const name of ["stringify", "parse"]) JSON[name] = bad;
  for (const name of ["apply", "ownKeys"]) Reflect[name] = bad;
  Math.max = Math.min = Date.now = bad;
  for (const key of ["0", "1", "json", "reason", "call", "then", "copy", "reference", "promise"]) Object.defineProperty(Object.prototype, key, { set: bad, get: () => undefined, configurable: true });
  Array.prototype[Symbol.iterator] = bad;
  globalThis.Promise = globalThis.String = globalThis.Error = globalThis.Array = globalThis.RangeError = bad;
`;

test("an author who breaks every prototype harms no other run, of his own organization or another", async () => {
  const clean = `() => ({ own: Object.keys(Object.prototype), left: typeof leftBehind, text: [1, 2].map(String).join("-"), json: JSON.stringify({ a: 1 }) })`;
  const both = `({ inputs }) => { if (inputs.pollute) { ${POLLUTE} return {}; } return (${clean})(); }`;
  const expected = { own: [], left: "undefined", text: "1-2", json: '{"a":1}' };
  for (const organizationId of ["org_a", "org_b"]) {
    await rig.attempt(both, { organizationId, argument: { inputs: { pollute: true } } });
    assert.deepEqual(await outputOf(both, { organizationId: "org_a" }), expected);
    assert.deepEqual(await outputOf(both, { organizationId: "org_b" }), expected);
  }
});

test("an author who breaks every prototype does not get past the bridge", async () => {
  const text = `async ({ run, pipe, log }) => {
    ${POLLUTE}
    log.info("still here");
    const first = await run("acme", { a: 1 });
    let made = 0, refused = 0;
    for (let n = 0; n < 150; n++) { try { await run("acme"); made++; } catch { refused++; } }
    return { first, made, refused };
  }`;
  const tried = await rig.attempt(text);
  assert.equal(tried.thrown, undefined, String((tried.thrown as Fault | undefined)?.cause));
  const { first, made, refused } = JSON.parse(tried.json!) as Record<string, unknown>;
  assert.deepEqual((first as { output: unknown }).output, { echo: { a: 1 } });
  assert.deepEqual([made, refused, tried.calls.length], [99, 51, 100]);
});

test("there is no way from what a function is given to the process around it", async () => {
  const text = `async (call) => {
    const seen = [];
    const look = (value) => {
      for (const make of [value?.constructor, value?.constructor?.constructor]) {
        try { seen.push(make("return typeof process + typeof require + typeof module + typeof __take + typeof post")()); } catch {}
      }
    };
    for (const value of [call, call.run, call.pipe, call.log, call.log.info, call.inputs, call.run("a"), setTimeout, URL, new URL("https://a.example"), console.log, crypto.randomUUID, globalThis]) look(value);
    let failure; try { new URL("nonsense"); } catch (error) { failure = error; look(error); }
    const names = Object.getOwnPropertyNames(globalThis);
    return { seen: [...new Set(seen)], stack: String(failure.stack), names };
  }`;
  const { seen, stack, names } = (await outputOf(text)) as { seen: unknown[]; stack: string; names: string[] };
  for (const one of seen)
    assert.ok(typeof one !== "string" || one === "undefinedundefinedundefinedundefinedundefined", one as string);
  assert.ok(!/\/|\.ts/.test(stack.replaceAll("datarun:", "")), stack);
  for (const name of [
    "process",
    "require",
    "fetch",
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "__take",
    "XMLHttpRequest",
    "Buffer",
  ])
    assert.ok(!names.includes(name), name);
});

test("timers run and end with the run", async () => {
  const text = `async () => {
    const order = [];
    setTimeout((word) => order.push(word), 20, "late");
    setTimeout(() => order.push("early"), 5);
    clearTimeout(setTimeout(() => order.push("never"), 1));
    let ticks = 0;
    await new Promise((resolve) => { const every = setInterval(() => { if (++ticks === 3) { clearInterval(every); resolve(); } }, 10); });
    queueMicrotask(() => order.push("micro"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => { throw new Error("after the end"); }, 1);
    return { order, ticks };
  }`;
  assert.deepEqual(await outputOf(text), { order: ["early", "late", "micro"], ticks: 3 });
});

test("timers that are overdue run in the order in which they were due", async () => {
  const text = `async () => {
    const order = [];
    setTimeout(() => order.push("third"), 180);
    setTimeout(() => { order.push("first"); clearTimeout(never); }, 5);
    const never = setTimeout(() => order.push("never"), 15);
    setTimeout(() => order.push("second"), 10);
    // Far enough apart for a machine that stops this thread in between.
    const until = Date.now() + 200;
    while (Date.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return { order };
  }`;
  assert.deepEqual(await outputOf(text), { order: ["first", "second", "third"] });
});

test("log lines are bounded in length and number", async () => {
  const tried = await rig.attempt(
    "({ log }) => { console.warn('w', { a: 1 }, new Error('e')); for (let n = 0; n < 300; n++) log.info('x'.repeat(5000), { y: 'y'.repeat(5000) }); return {}; }",
  );
  assert.equal(tried.logs[0], 'w {"a":1} Error: e');
  assert.equal(tried.logs.length, 101);
  assert.equal(tried.logs.at(-1), "further messages of this run are dropped");
  assert.ok(tried.logs.every((line) => line.length <= 2_000));
});

test("what crosses the bridge is measured in bytes of UTF-8, and what is too large is refused with a reason", async () => {
  const text = `async ({ run, pipe }) => {
    const why = async (act) => { try { return typeof await act(); } catch (error) { return error.message; } };
    const wide = "é".repeat(400_000);
    return {
      small: await why(() => run("a", { wide })),
      large: await why(() => run("a", { wide: wide + wide })),
      surrogates: await why(() => run("a", { wide: "😀".repeat(300_000) })),
      first: await why(() => pipe("first", () => wide)),
      second: await why(() => pipe("second", () => wide)),
    };
  }`;
  assert.deepEqual(await outputOf(text), {
    small: "object",
    large: "run(source, inputs): inputs are larger than 1 MB",
    surrogates: "run(source, inputs): inputs are larger than 1 MB",
    first: "string",
    second: "the recorded steps are larger than 1 MB",
  });
});

test("calls wait while the inputs of those in progress are 1 MB, and a run sends at most 16 MB of inputs", async () => {
  let most = 0;
  const text = `async ({ run }) => {
    const big = "x".repeat(700_000);
    const all = await Promise.allSettled(Array.from({ length: 30 }, () => run("wait_2", { big })));
    return { made: all.filter((one) => one.status === "fulfilled").length, why: all.at(-1).reason.message };
  }`;
  const onCall = (underWay: number): void => {
    most = Math.max(most, underWay);
  };
  const made = await outputOf(text, { onCall, limitMs: 20_000 });
  assert.deepEqual(made, { made: 23, why: "run(source, inputs): the inputs of all calls are larger than 16 MB" });
  assert.equal(most, 1);
});

test("a run may have URLs parsed 10,000 times", async () => {
  const text = `() => { let made = 0; try { for (;;) { new URL("https://a.example"); made += 1; } } catch (error) { return { made, why: error.message }; } }`;
  assert.deepEqual(await outputOf(text, { limitMs: 30_000 }), {
    made: 10_000,
    why: "a run may parse or change URLs at most 10,000 times",
  });
});

test("memory that V8 counts in no limit cannot be had: no buffer can be resized", async () => {
  const text = `() => {
    const why = (act) => { try { return typeof act(); } catch (error) { return error.message; } };
    return {
      fixed: new ArrayBuffer(8).byteLength,
      resizable: why(() => new ArrayBuffer(8, { maxByteLength: 16 })),
      byConstructor: why(() => new (new ArrayBuffer(8).constructor)(8, { maxByteLength: 16 })),
      resize: typeof ArrayBuffer.prototype.resize,
    };
  }`;
  const refusal = "ArrayBuffer: resizable buffers are not available here";
  assert.deepEqual(await outputOf(text), { fixed: 8, resizable: refusal, byConstructor: refusal, resize: "undefined" });
});

test("objects of Intl that a run keeps count towards its memory", async () => {
  const tried = await rig.attempt(
    "() => { const kept = []; for (;;) kept.push(new Intl.DateTimeFormat('en'), Intl.NumberFormat('de')); }",
    { limitMs: 30_000 },
  );
  const { code, cause } = tried.thrown as Fault;
  assert.ok(code === "function.memory" || /allocation failed/.test(String(cause)), `${code} ${String(cause)}`);
});

test("unhandled rejections are logged by their class, and no more often than the limit of lines", async () => {
  const tried = await rig.attempt(
    `({ run }) => {
      Promise.reject(new TypeError("canary"));
      let left = 300;
      return new Promise((resolve) => {
        const timer = setInterval(() => {
          if ((left -= 1) > 0) return void Promise.reject(new RangeError("canary " + left));
          clearInterval(timer);
          resolve({});
        }, 1);
      });
    }`,
    { limitMs: 30_000 },
  );
  assert.equal(tried.thrown, undefined, String(tried.thrown));
  assert.ok(tried.logs.length > 50 && tried.logs.length <= 100, `${tried.logs.length} lines`);
  assert.equal(tried.logs[0], "a rejected promise was not handled: TypeError");
  assert.equal(tried.logs[1], "a rejected promise was not handled: RangeError");
  assert.ok(!tried.logs.join().includes("canary"));
});

/** Collects the functions that a stack trace or `caller` reveals, wherever the prelude calls it. */
const SPY = `
  const got = new Set();
  Error.prepareStackTrace = (_, sites) => sites;
  function look() {
    for (const site of new Error().stack) {
      for (const each of [site.getFunction(), site.getThis()]) if (typeof each === "function") got.add(each);
    }
    try { for (let at = look.caller, steps = 0; at && steps < 20; steps += 1) { got.add(at); at = at.caller; } } catch {}
    return "x";
  }
  const isOwn = (each) => /\\b(spy|look|got)\\b/.test(String(each));`;

test("no place where the prelude calls the author's code hands out a function of the prelude", async () => {
  const { output } = (await outputOf(`{
    run: async function ({ run, pipe, log }) {
      ${SPY}
      let looks = 0;
      const spy = function () { looks += 1; return look(); };
      spy();
      await pipe("step", spy);
      await pipe("json", function () { return { toJSON: spy }; });
      await pipe("then", function () { return { then: function (go) { spy(); go(1); } }; });
      await pipe("throws", function () { throw { get message() { return spy(); }, get name() { return spy(); }, toString: spy }; }).catch(function () {});
      log.info({ toString: spy, get message() { return spy(); } }, { toJSON: spy, get a() { return spy(); } });
      console.log({ toString: spy, toJSON: spy });
      await run("a", { toJSON: function () { spy(); return {}; } });
      await new Promise(function (go) { setTimeout(function () { spy(); go(); }, 1); });
      await new Promise(function (go) { queueMicrotask(function () { spy(); go(); }); });
      structuredClone({ get a() { return spy(); } });
      new URL({ toString: spy, valueOf: spy } + "", "https://a.example");
      new URLSearchParams({ get a() { return spy(); } });
      Object.defineProperty(Object.prototype, "output", { configurable: true, set() { spy(); } });
      delete Object.prototype.output;
      const found = [...got].filter((each) => !isOwn(each)).map((each) => String(each).slice(0, 80));
      return { output: { found, looks } };
    },
  }`)) as { readonly output: { readonly found: readonly string[]; readonly looks: number } };
  assert.deepEqual(output.found, []);
  assert.ok(output.looks > 12, String(output.looks));
});
