import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import creditReport from "../../catalog/sources/example_order/credit_report.ts";
import type { Http } from "../../src/sdk/http.ts";
import type { SourceDeclaration } from "../../src/sdk/source.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import type { Reply } from "../rig/client.ts";
import { startService } from "../rig/service.ts";
import { project } from "../start/project-folder.ts";
import { type Behaviour, json, STANDARD } from "../vendor/behaviours.ts";
import type { RecordedRequest } from "../vendor/request-reader.ts";
import { startVendor, type Vendor } from "../vendor/scripted-vendor.ts";

/*
 * A client that repeats a request as long as the failure is `retryable`, and looks at nothing else, never places a second
 * order, wherever and however the order fails. The vendor counts its orders.
 */

const failing = (name: string, argument = "") => [name, STANDARD[name]!(argument)] as const;
const FAILURES: readonly (readonly [name: string, fails: Behaviour])[] = [
  ...[401, 404, 408, 429, 503].map((status) => [`status ${status}`, json({}, { status })] as const),
  failing("close-before-headers"),
  failing("reset-mid-body"),
  failing("hang"),
  failing("redirect", "302"),
  failing("no-content"),
  failing("truncated-json"),
  ["an empty object", json({})],
  ["given up", json({ state: "failed" })],
  ["never ready", json({ state: "in_progress" })],
];

type Step = "token" | "order" | "poll" | "later poll" | "officers";

/** Orders for one company. Its number, the position in the list, tells the vendor how to fail, and when. */
interface Company {
  readonly step: Step;
  readonly name: string;
  readonly fails: Behaviour;
}

function companies(...steps: readonly Step[]): readonly Company[] {
  return steps.flatMap((step) => FAILURES.map(([name, fails]) => ({ step, name, fails })));
}

const RECORD = { company: { number: "1" }, score: 72, as_of: "2026-03-01", officers_url: "/officers" };
const READY = { state: "ready", ...RECORD };
const DONE = { state: "done", report: { score: 72, date: "2026-03-01" } };

/** Both vendors of the catalog's examples in one. */
class Bureau {
  readonly companies: readonly Company[];
  readonly orders: number[];
  readonly #polls: number[];
  readonly #ready: object;

  constructor(asked: readonly Company[], ready: object) {
    this.companies = asked;
    this.orders = asked.map(() => 0);
    this.#polls = asked.map(() => 0);
    this.#ready = ready;
  }

  readonly answer: Behaviour = (socket, request) => this.#behave(request)(socket, request);

  #behave({ method, path, body }: RecordedRequest): Behaviour {
    const [, inBody] = /(\d{8})/.exec(body.toString("utf8")) ?? [];
    if (path === "/oauth/token") return this.#at("token", Number(inBody), json({ access_token: "t-1" }));
    if (method === "POST") {
      const index = Number(inBody);
      const { step, name } = this.companies[index]!;
      // With a 401 a vendor says that it has not looked at the order: the source logs in again, and sends it again.
      if (step !== "order" || name !== "status 401") this.orders[index]! += 1;
      return this.#at("order", index, json({ order: `o-${index}`, id: `o-${index}` }, { status: 202 }));
    }
    const [, inPath] = /o-(\d+)/.exec(path) ?? [];
    if (inPath === undefined) return json({}, { status: 404 });
    const index = Number(inPath);
    if (path.endsWith("/officers")) return this.#at("officers", index, json({ officers: [] }));
    this.#polls[index]! += 1;
    const isFirst = this.#polls[index] === 1;
    // A failure stays, because polling survives the first.
    const fails = this.companies[index]!.step === "later poll" && !isFirst ? "later poll" : "poll";
    return this.#at(fails, index, json(isFirst ? { state: "in_progress" } : this.#ready));
  }

  #at(step: Step, index: number, otherwise: Behaviour): Behaviour {
    const company = this.companies[index]!;
    return company.step === step ? company.fails : otherwise;
  }
}

/** The catalog's sources that order, except for the address of their vendor and how long they wait. */
function yamlSource({ origin }: Vendor): SourceDeclaration {
  const file = readFileSync(
    new URL("../../catalog/sources/example_bureau/company_report.yaml", import.meta.url),
    "utf8",
  )
    .replaceAll("https://reports.bureau.example", origin)
    .replace("first_after_ms: 1000", "first_after_ms: 0")
    .replace("every_ms: 1000", "every_ms: 50")
    .replace("max_polls: 20", "max_polls: 4")
    .replace("timeout_ms: 30000", "timeout_ms: 3000");
  return compileDeclarative(file, "company_report.yaml");
}

function typescriptSource({ origin }: Vendor): SourceDeclaration {
  const to = (url: string) => url.replace("https://api.bureau.example", origin);
  return {
    ...creditReport,
    origins: [origin],
    timeout_ms: 3_000,
    run({ inputs, credentials, http, ordered, wait, fail }) {
      const here: Pick<Http, "get" | "post"> = {
        get: (url, options) => http.get(to(url), options),
        post: (url, options) => http.post(to(url), options),
      };
      return creditReport.run({ inputs, credentials, http: here, ordered, wait, fail } as never);
    },
  };
}

interface Failure {
  readonly kind: string;
  readonly retryable: boolean;
  readonly order_id?: string;
  readonly resumable?: boolean;
}

interface Tried {
  readonly step: Step;
  readonly name: string;
  readonly orders: number;
  /** Of each request that the client has sent. */
  readonly failures: readonly Failure[];
}

const TRIES_MAX = 3;
const AT_ONCE = 12;

/** Orders for every company as a client that follows `retryable` and nothing else. */
async function orderForAll(
  bureau: Bureau,
  send: (inputs: object, credentials: object) => Promise<Reply>,
  failureIn: (reply: Reply) => Failure | undefined,
): Promise<readonly Tried[]> {
  const tried: Tried[] = [];
  const left = [...bureau.companies.entries()];
  async function client(): Promise<void> {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, { step, name }] = next;
      const number = String(index).padStart(8, "0");
      // A credential of its own, so that no failure of another company is counted against it.
      const credentials = { client_id: `company-${number}`, client_secret: "s3cret", api_key: `key-of-${number}` };
      const failures: Failure[] = [];
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const reply = await send({ company_number: number, express: true }, credentials);
        // Nothing was run: a service that has no time for it says so.
        if (reply.statusCode === 500) continue;
        const failure = failureIn(reply);
        if (failure !== undefined) failures.push(failure);
        if (failure?.retryable !== true) break;
      }
      tried.push({ step, name, orders: bureau.orders[index]!, failures });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return tried;
}

function assertOrderedOnce(tried: readonly Tried[]): void {
  const twice = tried.filter(({ orders }) => orders > 1);
  assert.deepEqual(
    twice.map(({ step, name, failures }) => `${name} at the ${step}: ${failures.map(({ kind }) => kind).join(", ")}`),
    [],
    "ordered more than once",
  );
  const ordered = tried.flatMap(({ failures }) => failures.filter(({ order_id: id }) => id !== undefined));
  assert.ok(ordered.length > 0);
  assert.ok(ordered.every(({ retryable }) => !retryable));
}

for (const [language, declare, resumes, ready, steps] of [
  ["YAML", yamlSource, true, READY, ["token", "order", "poll", "later poll", "officers"]],
  ["TypeScript", typescriptSource, undefined, DONE, ["order", "poll", "later poll"]],
] as const) {
  test(`a source in ${language}: whatever fails at whatever step, one order is placed`, async (t) => {
    const bureau = new Bureau(companies(...steps), ready);
    const vendor = await startVendor(t, { otherwise: bureau.answer });
    const declared = declare(vendor);
    const service = await startService(t, { sources: [declared], vendors: [vendor] });
    const tried = await orderForAll(
      bureau,
      (inputs, credentials) => service.run({ [declared.id]: { credentials } }, inputs),
      (reply) => reply.json().status[declared.id].failure,
    );
    assertOrderedOnce(tried);
    for (const { order_id: order, resumable } of tried.flatMap(({ failures }) => failures))
      assert.equal(resumable, order === undefined ? undefined : resumes);
    // What fails before the order may be repeated, and is.
    const isRepeated = ({ step, failures }: Tried) => step === "token" && failures.length === TRIES_MAX;
    assert.equal(tried.some(isRepeated), language === "YAML");
  });
}

/** Repeats its call as blindly as the client repeats the run. */
const BLIND = `export default {
  id: "dfunc_blind", title: "Blind",
  async run({ inputs, run }) {
    let answer;
    for (let tries = 0; tries < ${TRIES_MAX} && (answer === undefined || answer.failure?.retryable === true); tries += 1)
      answer = await run("example_bureau__company_report", inputs);
    return { success: answer.success, message: answer.message, output: { failure: answer.failure ?? null } };
  },
};`;

test("a function and its client, both blind: whatever fails at whatever step, one order is placed", async (t) => {
  const bureau = new Bureau(companies("order", "later poll"), READY);
  const vendor = await startVendor(t, { otherwise: bureau.answer });
  const declared = yamlSource(vendor);
  const folder = project(t, { "functions/blind.mjs": BLIND });
  const service = await startService(t, { sources: [declared], vendors: [vendor], project: folder });
  const inside: Failure[] = [];
  const tried = await orderForAll(
    bureau,
    (inputs, credentials) => {
      const config = { data_func: "dfunc_blind", sources: { [declared.id]: { credentials } } };
      return service.post("/func", { config, inputs });
    },
    (reply) => {
      const { status, outputs } = reply.json();
      const seen = outputs["dfunc_blind"].output.failure as Failure | null | undefined;
      if (seen != null) inside.push(seen);
      return status["dfunc_blind"].failure;
    },
  );
  assertOrderedOnce(tried);
  const ordered = inside.filter(({ order_id: id }) => id !== undefined);
  assert.ok(ordered.length > 0);
  assert.ok(ordered.every(({ retryable, resumable }) => !retryable && resumable === true));
});
