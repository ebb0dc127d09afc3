/** A function that does harm, intentionally or not. */
export interface Attack {
  readonly name: string;
  readonly run: string;
  /** The permitted ends of its run: fault codes, or `ok`. */
  readonly ends: readonly string[];
}

const TIMEOUT = ["function.timeout"];
const TIME_OR_MEMORY = ["function.timeout", "function.memory"];
const RAISED = ["function.raised"];
const CONTRACT = ["function.contract"];
/** V8 ended the process. */
const CRASHED = ["function.interrupted"];
const WELL = ["ok"];
/** The answer waits until the thread has left the isolate: on a slow machine until the deadline. */
const WELL_OR_LATE = ["ok", "function.timeout"];
const NEVER_ENDING_ERROR = `Object.defineProperties(new Error("x"), { message: { get() { for (;;); } }, stack: { get() { for (;;); } } })`;

/** Attacks that end at most their own run: an innocent function of the same organization finishes. */
export const OF_A_RUN: readonly Attack[] = [
  { name: "an endless loop", run: "() => { for (;;); }", ends: TIMEOUT },
  { name: "an endless loop after an answer", run: "async ({ run }) => { await run('a'); for (;;); }", ends: TIMEOUT },
  { name: "an endless loop in a getter of the answer", run: "() => ({ get output() { for (;;); } })", ends: TIMEOUT },
  { name: "an endless loop in toJSON", run: "() => ({ toJSON() { for (;;); } })", ends: TIMEOUT },
  { name: "an endless loop while it is evaluated", run: "(() => { for (;;); })()", ends: TIMEOUT },
  {
    name: "an endless loop in finally",
    run: "() => { for (;;) { try { for (;;); } finally { continue; } } }",
    ends: TIMEOUT,
  },
  {
    name: "an endless loop in a timer",
    run: "() => new Promise(() => setTimeout(() => { for (;;); }, 1))",
    ends: TIMEOUT,
  },
  {
    name: "a storm of microtasks",
    run: "async () => { const f = () => Promise.resolve().then(f); await f(); }",
    ends: TIME_OR_MEMORY,
  },
  { name: "a regular expression without end", run: "() => /^(a+)+$/.test('a'.repeat(60) + '!')", ends: TIMEOUT },
  { name: "a promise that never settles", run: "() => new Promise(() => {})", ends: TIMEOUT },
  { name: "a source that never answers", run: "({ run }) => run('never')", ends: TIMEOUT },
  { name: "a thenable that loops", run: "() => ({ then() { for (;;); } })", ends: TIMEOUT },
  {
    name: "then on every object",
    run: "() => { Object.defineProperty(Object.prototype, 'then', { get() { for (;;); } }); return {}; }",
    ends: TIMEOUT,
  },
  {
    name: "timers without end",
    run: "() => new Promise(() => { for (let i = 0; i < 90; i++) setInterval(() => {}, 0); })",
    ends: ["function.timeout", "function.raised"],
  },
  { name: "too many timers", run: "() => { for (;;) setTimeout(() => {}, 60000); }", ends: RAISED },
  { name: "deep recursion", run: "() => { const f = () => f(); f(); }", ends: RAISED },
  {
    name: "recursion in finally",
    run: "() => { const f = () => { try { f(); } finally { f(); } }; f(); }",
    ends: [...TIMEOUT, ...RAISED],
  },
  {
    name: "objects until memory ends",
    run: "() => { const all = []; for (;;) all.push({ a: all.length }); }",
    ends: TIME_OR_MEMORY,
  },
  {
    name: "strings until memory ends",
    run: "() => { const all = []; for (let i = 0; ; i++) all.push('x'.repeat(1000) + i); }",
    ends: TIME_OR_MEMORY,
  },
  { name: "a string that doubles", run: "() => { let s = 'x'; for (;;) s += s; }", ends: RAISED },
  {
    name: "array buffers, caught and repeated",
    run: "() => { const all = []; for (;;) try { all.push(new Uint8Array(1e6)); } catch {} }",
    ends: TIME_OR_MEMORY,
  },
  { name: "WebAssembly", run: "() => { new WebAssembly.Memory({ initial: 1 }); }", ends: RAISED },
  {
    name: "shared memory",
    run: "() => { Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0); }",
    ends: RAISED,
  },
  { name: "null thrown", run: "() => { throw null; }", ends: RAISED },
  { name: "undefined rejected", run: "() => Promise.reject()", ends: RAISED },
  { name: "a symbol thrown", run: "() => { throw Symbol('s'); }", ends: RAISED },
  { name: "a long text thrown", run: "() => { throw new Error('x'.repeat(3e7)); }", ends: RAISED },
  {
    name: "an error whose message throws",
    run: "() => { throw { get message() { throw 1; }, toString() { throw 2; } }; }",
    ends: RAISED,
  },
  { name: "an error whose texts never end", run: `() => { throw ${NEVER_ENDING_ERROR}; }`, ends: TIMEOUT },
  {
    name: "a proxy of an error",
    run: "() => { throw new Proxy(new Error('x'), { get() { for (;;); } }); }",
    ends: TIMEOUT,
  },
  {
    name: "a text for every stack that never ends",
    run: "() => { Error.prepareStackTrace = () => { for (;;); }; throw new Error('x'); }",
    ends: [...TIMEOUT, ...RAISED],
  },
  {
    name: "a throw in a timer",
    run: "() => new Promise(() => setTimeout(() => { throw new Error('late'); }, 1))",
    ends: RAISED,
  },
  {
    name: "a throw in a microtask",
    run: "() => new Promise(() => queueMicrotask(() => { throw new Error('late'); }))",
    ends: RAISED,
  },
  {
    name: "a rejection that nobody handles",
    run: "() => { Promise.reject(new Error('x')); return { output: {} }; }",
    ends: WELL,
  },
  {
    name: "1,000 calls at once",
    run: "async ({ run }) => { await Promise.all(Array.from({ length: 1000 }, () => run('wait_5'))); }",
    ends: RAISED,
  },
  { name: "calls without end", run: "async ({ run }) => { for (;;) run('a').catch(() => {}); }", ends: TIME_OR_MEMORY },
  {
    name: "log lines without end",
    run: "async ({ log }) => { for (;;) log.info('x'.repeat(1e6)); }",
    ends: TIME_OR_MEMORY,
  },
  {
    name: "steps without end",
    run: "async ({ pipe }) => { for (;;) await pipe('p', () => 'x'.repeat(1e5)); }",
    // On a slow machine, the time limit may come before the limit of steps.
    ends: [...RAISED, ...TIMEOUT],
  },
  { name: "URLs without end", run: "() => { for (;;) new URL('https://a.example/'); }", ends: [...TIMEOUT, ...RAISED] },
  { name: "a cyclic answer", run: "() => { const a = {}; a.a = a; return a; }", ends: CONTRACT },
  { name: "a bigint in the answer", run: "() => ({ output: { a: 1n } })", ends: CONTRACT },
  { name: "an answer that is a list", run: "() => []", ends: CONTRACT },
  { name: "an answer that is a text", run: "() => 'x'", ends: CONTRACT },
  { name: "an answer that turns into a text", run: "() => ({ toJSON: () => 'x' })", ends: CONTRACT },
  { name: "an answer that turns into nothing", run: "() => ({ toJSON: () => undefined })", ends: CONTRACT },
  {
    name: "an answer of 5,000 levels",
    run: "() => { let a = {}; for (let i = 0; i < 5000; i++) a = { a }; return a; }",
    ends: CONTRACT,
  },
  {
    name: "an answer of 200,000 levels",
    run: "() => { let a = {}; for (let i = 0; i < 200000; i++) a = { a }; return a; }",
    ends: [...CONTRACT, ...TIMEOUT],
  },
  { name: "an answer of 20 MB", run: "() => ({ output: { a: 'x'.repeat(2e7) } })", ends: [...CONTRACT, ...TIMEOUT] },
  { name: "an answer of 2 MB in 1 million characters", run: "() => ({ a: 'é'.repeat(1e6) })", ends: CONTRACT },
  {
    name: "an answer of many keys",
    run: "() => { const a = {}; for (let i = 0; i < 3e5; i++) a['k' + i] = i; return a; }",
    ends: [...CONTRACT, ...TIMEOUT],
  },
  { name: "a proxy as the answer", run: "() => new Proxy({}, { ownKeys() { for (;;); } })", ends: TIMEOUT },
  {
    name: "a map until V8 gives up",
    run: "() => { const m = new Map(); for (let i = 0; ; i++) m.set('k' + i, i); }",
    ends: TIME_OR_MEMORY,
  },
];

/** Attacks that may end their process: an innocent function of another organization finishes. */
export const OF_A_PROCESS: readonly Attack[] = [
  {
    name: "an unhandled rejection whose texts never end",
    run: `() => { Promise.reject(${NEVER_ENDING_ERROR}); return { output: {} }; }`,
    ends: WELL_OR_LATE,
  },
  {
    name: "an unhandled proxy of an error",
    run: "() => { Promise.reject(new Proxy(new Error(), { get() { for (;;); } })); return { output: {} }; }",
    ends: WELL_OR_LATE,
  },
  {
    name: "an unhandled rejection, and no answer",
    run: `() => { Promise.reject(${NEVER_ENDING_ERROR}); return new Promise(() => {}); }`,
    ends: TIMEOUT,
  },
  {
    name: "an array of 300 million",
    run: "() => { new Array(3e8).fill(1.5); }",
    ends: [...TIME_OR_MEMORY, ...RAISED, ...CRASHED],
  },
  {
    name: "arrays that double",
    run: "() => { let a = [1, 2, 3]; for (;;) a = a.concat(a); }",
    ends: [...TIME_OR_MEMORY, ...RAISED, ...CRASHED],
  },
  {
    name: "a bigint that squares itself",
    run: "() => { let a = 7n; for (;;) a *= a; }",
    ends: [...TIME_OR_MEMORY, ...RAISED, ...CRASHED],
  },
  { name: "a bigint as a text", run: "() => { (7n ** 5000000n).toString(); }", ends: TIMEOUT },
  {
    name: "sorting without end",
    run: "() => { const a = Array.from({ length: 2e6 }, (_, i) => -i); for (;;) a.sort(); }",
    ends: [...TIME_OR_MEMORY, ...CRASHED],
  },
  {
    name: "texts of 512 MB",
    run: "() => { const all = []; for (;;) { const s = 'x'.repeat(5e8); /y/.test(s); all.push(s); } }",
    ends: [...TIME_OR_MEMORY, ...RAISED, ...CRASHED],
  },
  {
    name: "buffers that grow",
    run: "() => { const all = []; for (;;) { const b = new ArrayBuffer(0, { maxByteLength: 1e9 }); b.resize(1e9); new Uint8Array(b).fill(1); all.push(b); } }",
    ends: [...TIME_OR_MEMORY, ...RAISED, ...CRASHED],
  },
  {
    name: "small buffers without end",
    run: "() => { const all = []; for (;;) { const a = new Uint8Array(60); a.buffer; all.push(a); } }",
    ends: [...TIME_OR_MEMORY, ...CRASHED],
  },
];
