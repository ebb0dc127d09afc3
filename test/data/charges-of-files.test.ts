import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { openJournalReader } from "../../src/ledger/read/journal-reader.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import type { ChargeModel } from "../../src/terms/money/charge.ts";
import type { Charged } from "../../src/terms/fault.ts";
import { startService } from "../rig/service.ts";
import { bare, type Behaviour, body, json, STANDARD } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

/*
 * Files in YAML with everything that makes several requests of one: a login and a token that has expired, redirects,
 * steps, polls, a later run that resumes; and everything that says what they cost: models, tables, and errors with a
 * charge. The vendor keeps a book of what it bills, from its own side of the wire.
 */

const vendor = await startVendor({ after });

// ---- the vendor's answers, and what each means for its book ------------------------------------------------------------

/**
 * `free`: never billed. `lost`: only the vendor knows. `error`: an error status. `refused`: a credential or a rate.
 * `unusable`: completed, but nobody can read it. `answered`: completed.
 */
type Entry = "free" | "lost" | "error" | "refused" | "unusable" | "answered";

interface Play {
  readonly entry: Entry;
  readonly behaviour: Behaviour;
  /** The reply reports a failure, which concerns the last request that may be billed; `null`: the file does not say what it costs. */
  readonly reports?: Charged | null;
}

const LOST: Play = { entry: "lost", behaviour: STANDARD["close-before-headers"]!("") };
const CUT_SHORT: Play = { entry: "lost", behaviour: STANDARD["close-mid-body"]!("") };

/** Of a request that may be billed. `ID` is replaced by the number of the order. */
const REPLIES = {
  record: { entry: "answered", behaviour: json({ id: "o-1", name: "Ada" }) },
  nobody: { entry: "answered", behaviour: json({}, { status: 404 }) },
  "from the cache": { entry: "free", behaviour: json({ id: "o-1", name: "Ada", from_cache: true }) },
  "from the cache, and unlike any rule": { entry: "free", behaviour: json({ from_cache: true }) },
  "a duplicate": { entry: "free", behaviour: json({ id: "o-1" }, { status: 409 }) },
  "input that costs nothing by the table": { entry: "free", behaviour: json({}, { status: 422 }) },
  "input that costs nothing by its row": { entry: "answered", behaviour: json({ bad: "no" }), reports: "no" },
  "input that is billed by its row": {
    entry: "answered",
    behaviour: json({ bad: "yes" }, { status: 400 }),
    reports: "yes",
  },
  "a failure": { entry: "answered", behaviour: json({ failed: true }), reports: null },
  "another 4xx": { entry: "error", behaviour: json({}, { status: 418 }) },
  "a 5xx": { entry: "error", behaviour: json({}, { status: 503 }) },
  "a limit": { entry: "refused", behaviour: json({}, { status: 429 }) },
  html: { entry: "unusable", behaviour: body("<html>") },
  "unlike any rule": { entry: "unusable", behaviour: json({ odd: true }) },
  lost: LOST,
  "cut short": CUT_SHORT,
} satisfies Record<string, Play>;

const POLLS = {
  waiting: { entry: "free", behaviour: json({ state: "working" }) },
  "a 5xx": { entry: "free", behaviour: json({}, { status: 503 }) },
  lost: { ...LOST, entry: "free" },
  ready: { entry: "free", behaviour: json({ name: "Ada" }) },
  nobody: { entry: "free", behaviour: json({}, { status: 404 }) },
  "given up": { entry: "free", behaviour: json({ gone: true }), reports: null },
  "given up, at no cost": { entry: "free", behaviour: json({ bad: "no" }), reports: "no" },
  "another 4xx": { entry: "free", behaviour: json({}, { status: 418 }) },
  html: { entry: "free", behaviour: body("<html>") },
} satisfies Record<string, Play>;

const LOGIN: Play = { entry: "free", behaviour: json({ token: "t-1" }) };
const EXPIRED: Play = { entry: "refused", behaviour: json({}, { status: 401 }) };

// ---- files that ask it in every way ------------------------------------------------------------------------------------

interface Case {
  readonly model: ChargeModel;
  /** The rows before the one with the model, or none at all: then the file only names its model. */
  readonly hasTable: boolean;
  readonly logsIn: boolean;
  /** The first token is refused. */
  readonly expired: boolean;
  /** How often the first request is redirected. */
  readonly redirects: number;
  /** Without an order there is one request. */
  readonly orders: boolean;
  readonly searches: keyof typeof REPLIES | null;
  readonly main: keyof typeof REPLIES;
  readonly polls: readonly (keyof typeof POLLS)[];
  /** The run begins with the poll. */
  readonly resumes: boolean;
}

const oneOf = <Name extends string>(plays: Readonly<Record<Name, Play>>, ...often: Name[]) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...often) },
    { weight: 2, arbitrary: fc.constantFrom(...(Object.keys(plays) as Name[])) },
  );

const anyCase: fc.Arbitrary<Case> = fc.record({
  model: fc.constantFrom<ChargeModel>("free", "per_call", "per_success", "per_match"),
  hasTable: fc.boolean(),
  logsIn: fc.boolean(),
  expired: fc.boolean(),
  redirects: fc.constantFrom(0, 0, 1, 2),
  orders: fc.boolean(),
  searches: fc.option(oneOf(REPLIES, "record", "from the cache")),
  main: oneOf(REPLIES, "record"),
  polls: fc.array(oneOf(POLLS, "waiting", "ready"), { minLength: 1, maxLength: 4 }),
  resumes: fc.boolean(),
});

/** Cases that chance seldom finds. */
const ORDER: Case = {
  model: "per_call",
  hasTable: true,
  logsIn: true,
  expired: true,
  redirects: 1,
  orders: true,
  searches: "record",
  main: "record",
  polls: ["ready"],
  resumes: false,
};
const CORNERS: readonly Case[] = [
  // What is reported of an order that was not billed is no word on the search before it.
  { ...ORDER, main: "a duplicate", polls: ["given up"] },
  { ...ORDER, main: "from the cache", polls: ["waiting", "given up, at no cost"] },
  { ...ORDER, polls: ["a 5xx", "lost", "given up"] },
  { ...ORDER, polls: ["waiting", "given up, at no cost"], model: "per_match" },
  { ...ORDER, orders: false, main: "input that costs nothing by the table" },
  { ...ORDER, orders: false, main: "from the cache, and unlike any rule", model: "per_success" },
  { ...ORDER, main: "input that is billed by its row", model: "per_match" },
  { ...ORDER, polls: ["nobody"], resumes: true },
];

const TABLE = ["{when: body.from_cache, amount: 0}", "{when: 'status == `409` || status == `422`', amount: 0}"];

function fileOf(id: string, { model, hasTable, logsIn, redirects, orders, searches }: Case): string {
  const at = `${vendor.origin}/${id}`;
  const credential = `credentials: {type: object, properties: {key: {type: string}}}
auth: {kind: token_exchange, request: {method: POST, url: '${at}/login'}, token: body.token}`;
  const search = `  - {name: search, request: {url: '${at}/first', redirects: 2}, match: {no_record: 'status == \`404\`'}}\n`;
  const steps = `steps:
${searches === null ? "" : search}  - name: order
    request: {${searches === null ? `url: '${at}/first', redirects: 2` : `method: POST, url: '${at}/order'`}}
    answers: [409]
    match: {no_record: 'status == \`404\`'}
    order_id: body.id
  - name: report
    free: true
    request: {url: '${at}/orders/{{ order_id }}'}
    match: {no_record: 'status == \`404\`'}
    poll: {until: 'body.name', fail_when: 'body.gone', every_ms: 50, max_polls: 4}
resume: {step: report}`;
  assert.ok(redirects <= 2);
  return `
id: ${id}
title: People
inputs: {type: object, properties: {order_id: {type: string}}}
origins: ['${vendor.origin}']
timeout_ms: 5000
${logsIn ? credential : ""}
${orders ? steps : `request: {url: '${at}/first', redirects: 2}`}
errors:
  - {when: {predicate: 'body.bad == \`"no"\`'}, kind: input, charged: no}
  - {when: {predicate: 'body.bad == \`"yes"\`'}, kind: input, charged: yes}
  - {when: {predicate: body.failed}, kind: vendor_5xx}
match: {record: 'status == \`200\` && body.name', no_record: 'status == \`404\`'}
charge: ${hasTable ? `[${[...TABLE, `{model: ${model}}`].join(", ")}]` : model}
`;
}

// ---- the vendor's book -------------------------------------------------------------------------------------------------

interface Line {
  readonly path: "login" | "redirect" | "main" | "order" | "poll";
  readonly play: Play;
}

/** Scripts the vendor for one case, and returns the book that it keeps, in the order in which requests came. */
function script(id: string, one: Case): Line[] {
  const book: Line[] = [];
  const plays = (path: Line["path"], ...script: readonly Play[]): Behaviour => {
    let turn = 0;
    return (socket, request) => {
      const play = script[Math.min(turn, script.length - 1)]!;
      turn += 1;
      book.push({ path, play });
      play.behaviour(socket, request);
    };
  };
  const first = REPLIES[one.orders && one.searches !== null ? one.searches : one.main];
  const firstIs = one.orders && one.searches === null ? "order" : "main";
  const replies = one.logsIn && one.expired ? [EXPIRED, first] : [first];
  const redirect = (to: string): Play => ({ entry: "refused", behaviour: bare(302, { location: `/${id}/${to}` }) });
  const hops = ["first", "second", "third"].slice(0, one.redirects + 1);
  for (const [at, hop] of hops.entries()) {
    const next = hops[at + 1];
    vendor.on(`/${id}/${hop}`, next === undefined ? plays(firstIs, ...replies) : plays("redirect", redirect(next)));
  }
  vendor.on(`/${id}/login`, plays("login", LOGIN));
  vendor.on(`/${id}/order`, plays("order", REPLIES[one.main]));
  vendor.on(`/${id}/orders/o-1`, plays("poll", ...one.polls.map((name) => POLLS[name])));
  return book;
}

type End = "record" | "nobody" | "failed";

/** Without its table a file says of no reply that it is free; the order reads a 409, and nothing else does. */
function entryOf({ path, play }: Line, hasTable: boolean): Entry {
  if (play.entry !== "free" || hasTable) return play.entry;
  if (play === REPLIES["input that costs nothing by the table"]) return "error";
  return play === REPLIES["a duplicate"] && path !== "order" ? "error" : "answered";
}

/** What the page of charges says of each line, from the vendor's side. */
function billed(book: readonly Line[], { model, hasTable }: Case, end: End): Charged[] {
  // Only the last reply can have ended the call with the failure that it reports.
  const { reports } = book.at(-1)!.play;
  const isFree = ({ path }: Line) => path === "login" || path === "redirect" || path === "poll";
  const mayBeBilled = (line: Line) => !isFree(line) && line.play !== EXPIRED && line.play.entry !== "lost";
  const concerned = end === "failed" && reports !== undefined ? book.findLastIndex(mayBeBilled) : -1;
  return book.map((line, at) => {
    const entry = entryOf(line, hasTable);
    if (model === "free" || isFree(line) || entry === "free" || entry === "refused") return "no";
    if (entry === "lost") return "unknown";
    if (at === concerned) return reports ?? (model === "per_call" ? "unknown" : "no");
    if (entry === "error") return model === "per_call" ? "unknown" : "no";
    if (model !== "per_match") return "yes";
    return end === "failed" ? "unknown" : end === "record" ? "yes" : "no";
  });
}

// ---- the property --------------------------------------------------------------------------------------------------------

const seed = fc.readConfigureGlobal().seed ?? Date.now() % 1_000_000;
const CASES = [...CORNERS, ...fc.sample(anyCase, { numRuns: 150, seed })];
const idOf = (at: number) => `file__case_${at}`;
const books = CASES.map((one, at) => script(idOf(at), one));
const service = await startService(
  { after },
  {
    sources: CASES.map((one, at) => compileDeclarative(fileOf(idOf(at), one), `case_${at}.yaml`)),
    vendors: [vendor],
    settings: { "limits.vendor_connections": 1_000 },
  },
);
const detailed = {
  token: service.a.token,
  workflow: await service.operator.createWorkflow(service.a.id, { failureDetails: true }),
};
const reader = openJournalReader({ dir: join(service.dataDir, "ledger") });
after(() => reader.close());

test("whatever a file asks, each request is charged as the vendor's own book says, and not once more is asked", async () => {
  for (let from = 0; from < CASES.length; from += 15) {
    for (const resumes of [true, false]) {
      const batch = CASES.slice(from, from + 15).flatMap((one, at) =>
        (one.orders && one.resumes) === resumes ? [{ one, id: idOf(from + at), book: books[from + at]! }] : [],
      );
      if (batch.length === 0) continue;
      const sources = Object.fromEntries(
        batch.map(({ id, one }) => [id, one.logsIn ? { credentials: { key: "k" } } : true]),
      );
      const inputs = resumes ? { order_id: "o-1" } : {};
      const { transaction_id, status } = (await service.run(sources, inputs, { as: detailed })).json();
      const row = (await reader.show(transaction_id))!;
      for (const { one, id, book } of batch) {
        const { ordinal } = row.calls.find(({ source }) => source === id)!;
        const told = row.attempts.filter((attempt) => attempt.ordinal === ordinal).map(({ charged }) => charged);
        const { success, match } = status[id];
        const end: End = success ? (match ? "record" : "nobody") : "failed";
        const says = `seed ${seed}: ${JSON.stringify(one)} ended as ${end}: ${JSON.stringify(status[id])}`;
        assert.deepEqual(told, billed(book, one, end), says);
      }
    }
  }
});
