import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after as later, bare, hang, inTurn, json, rawThenReset, type Behaviour } from "../../vendor/behaviours.ts";
import { startVendor, type TestLife, type Vendor } from "../../vendor/scripted-vendor.ts";
import type { SourceDeclaration } from "../../../src/sdk/source.ts";
import { systemClock, type Clock } from "../../../src/terms/time/clock.ts";
import type { Appointed, Organization } from "../organization.ts";
import { processLife } from "../process-life.ts";
import { startService, type ServiceOptions, type TestService } from "../service.ts";
import { source } from "../sources.ts";

/**
 * `none`: a deployment on its first day. `day`: one with runs of the last day, in which a vendor was slow and another one
 * failed. `longest`: every name as long as it may be.
 */
export type Amount = "none" | "little" | "day" | "much" | "longest";

export interface World {
  readonly service: TestService;
  readonly vendor: Vendor;
  readonly owner: Appointed;
  /** Has credentials, prices, a budget and runs, unless there is nothing. */
  readonly acme: Organization & { readonly name: string };
  /** How many runs it has had, which reach the ledger a moment after their answers. */
  readonly runs: number;
  /** Runs a verb as the owner. @throws if it does not succeed */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they assert
  verb(name: string, input: object): Promise<any>;
  /** Gives its function a second version. */
  changeFunction(): Promise<void>;
}

const LONG = "Überlandzentrale für Wirtschaftsauskünfte und Handelsregister, Zweigniederlassung Nordost";
const WORD = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle";
const RUNS: Readonly<Record<Amount, number>> = {
  none: 0,
  little: 4,
  day: 4,
  much: 240,
  longest: 12,
};

/** What the vendors do in turn, so that everything that can come of a call is there. */
const found = later(12, json({ found: true, name: "Example Trading Ltd", number: "09446231", status: "active" }));
const COMPANY: readonly Behaviour[] = [found, found, later(180, found), bare(404), found, found];
const CREDIT: readonly Behaviour[] = [
  later(40, json({ found: true, score: 712 })),
  bare(404),
  bare(500),
  later(90, json({ score: 540 })),
  ...Array.from({ length: 12 }, () => later(60, json({ score: 655 }))),
];
const SANCTIONS: readonly Behaviour[] = [
  bare(404),
  bare(404),
  later(5, json({ matches: [{ name: "A. Person", score: 0.81 }] })),
];
const INSOLVENCY: readonly Behaviour[] = [
  json({ cases: [] }),
  rawThenReset(""),
  json({ cases: [] }),
  hang,
  bare(429),
  json({ cases: [] }),
  ...Array.from({ length: 18 }, () => later(30, json({ cases: [] }))),
];

/** A deployment with organizations, credentials, prices, a budget and runs, on which pages can be looked at. */
export async function startWorld(t: TestLife, amount: Amount = "little", options: ServiceOptions = {}): Promise<World> {
  const vendor = await startVendor(t);
  for (const [path, turns] of Object.entries({
    "/company": COMPANY,
    "/credit": CREDIT,
    "/sanctions": SANCTIONS,
    "/insolvency": INSOLVENCY,
  }))
    vendor.on(path, round(turns));
  const isLong = amount === "longest";
  const past = amount === "day" ? pastClock() : undefined;
  const sources = [...sourcesOf(vendor, isLong), ...(options.sources ?? [])];
  const folder = amount === "none" ? undefined : projectWithFunction(t, isLong);
  const service = await startService(t, {
    ...(folder !== undefined && { project: folder }),
    ...(past !== undefined && { clock: past.clock }),
    ...options,
    sources,
    vendors: [vendor],
  });
  const owner = await service.operator.appoint("owner", "grace@example.org");
  const verb = async (name: string, input: object) => {
    const answer = await fetch(`${service.adminUrl}/api/${name.replaceAll(" ", "/")}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${owner.token}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });
    const value: unknown = await answer.json();
    assert.equal(answer.status, 200, `${name}: ${JSON.stringify(value)}`);
    return value;
  };
  const name = amount === "longest" ? `${LONG} ${WORD}` : "Acme Lending";
  const changeFunction = async () => {
    const file = join(folder!, FUNCTION_FILE);
    writeFileSync(file, readFileSync(file, "utf8").replace("listed: lists.match", "listed: lists.match === true"));
    await service.reload();
  };
  const acme = { ...service.a, name };
  const world: World = { service, vendor, owner, verb, acme, runs: RUNS[amount], changeFunction };
  if (amount === "none") return world;
  await verb("org rename", { org: service.a.id, name });
  await verb("org rename", { org: service.b.id, name: "Borealis Bank" });
  await fill(world, amount, past);
  return world;
}

let shared: Promise<World> | undefined;
const ends: (() => unknown)[] = [];
// Asked for here, because within a test it would be of the life of that test.
processLife.after(async () => {
  for (const end of ends) await end();
});

/** A little world that tests of a process share, because they only look at it. */
export function worldToLookAt(): Promise<World> {
  return (shared ??= startWorld({ after: (end) => void ends.push(end) }, "little"));
}

/** A wall clock that is behind by a time that becomes smaller. */
function pastClock() {
  let behindMs = HOURS * HOUR_MS;
  const clock: Clock = { ...systemClock, wall: () => Date.now() - behindMs };
  return { clock, setBehind: (ms: number) => void (behindMs = ms) };
}

const HOUR_MS = 60 * 60 * 1_000;
const HOURS = 22;

/** A folder with a function, which is deleted after the test. */
function projectWithFunction(t: TestLife, isLong: boolean): string {
  const project = mkdtempSync(join(tmpdir(), "datarun-world-"));
  t.after(() => rmSync(project, { recursive: true }));
  mkdirSync(join(project, "functions"));
  const title = isLong ? `Company check: ${LONG} ${WORD}` : "Company check";
  writeFileSync(join(project, FUNCTION_FILE), functionCode(title));
  return project;
}

const FUNCTION_FILE = "functions/company_check.mjs";

const functionCode = (title: string): string => `/** Asks the register and the lists at once. */
export default {
  id: "dfunc_company_check",
  title: ${JSON.stringify(title)},
  description: "Whether a company is registered and on no list.",
  inputs: {
    type: "object",
    properties: { number: { type: "string", title: "Registration number" }, name: { type: "string", title: "Name" } },
    required: ["number"],
    additionalProperties: false,
  },
  async run({ run, inputs }) {
    const [company, lists] = await Promise.all([
      run("registry__company", { number: inputs.number }),
      run("lists__sanctions", { name: inputs.name }),
    ]);
    return { output: { registered: company.match, listed: lists.match } };
  },
  cases: [{ name: "a company that is registered", inputs: { number: "09446231" }, expect: { output: { registered: true, listed: false } } }],
};
`;

async function fill(
  { service, vendor, verb, acme }: World,
  amount: Amount,
  past: ReturnType<typeof pastClock> | undefined,
): Promise<void> {
  await verb("workflow set", { workflow: acme.workflow, auto_credentials: true, failure_details: true });
  const org = acme.id;
  const longName = amount === "longest" ? LONG : undefined;
  await verb("workflow create", { org, name: longName ?? "Onboarding, trial", simulated: true });
  for (const [id, price] of [
    ["registry__company", "0.40"],
    ["bureau__credit_report", "2.35"],
    ["register__insolvency", "0.12"],
  ] as const) {
    const { cred_id } = await verb("credential create", {
      org,
      source: id,
      ...(longName !== undefined && { name: `${longName} ${WORD}` }),
      fields: { api_key: service.secrets.add(`key-of-${id}-0001`) },
    });
    await verb("credential price set", { cred_id, amount: price, currency: "EUR", from: "2026-01-01" });
  }
  await verb("budget set", {
    org,
    per: "month",
    amount: amount === "much" ? "700" : amount === "day" ? "900" : "50",
    currency: "EUR",
  });
  if (amount === "much") {
    for (let at = 0; at < 40; at += 1) {
      const { organization_tuid } = await verb("org create", { name: `Customer ${String(at + 1).padStart(2, "0")}` });
      await verb("workflow create", { org: organization_tuid, name: "checks" });
      await verb("token create", { org: organization_tuid, name: "server" });
    }
  }
  const run = () => service.run(ASKED, { number: "09446231", name: "Example Trading Ltd" }, { as: acme });
  const runFunction = () =>
    service.post(
      "/func",
      {
        config: { data_func: "dfunc_company_check" },
        inputs: { number: "09446231", name: "Example Trading Ltd" },
      },
      { as: acme },
    );
  if (past !== undefined) await fillDay(past.setBehind, vendor, run, runFunction);
  for (let left = RUNS[amount]; left > 0; left -= AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, run));
}

/** Runs of a day, more of them at noon, until now. For two hours one vendor is slow, and for two another one fails. */
async function fillDay(
  setBehind: (ms: number) => void,
  vendor: Vendor,
  run: () => Promise<unknown>,
  runFunction: () => Promise<unknown>,
): Promise<void> {
  for (let hour = HOURS; hour > 0; hour -= 1) {
    setBehind(hour * HOUR_MS - Math.floor(HOUR_MS / 2));
    const [isSlow, isBroken] = [hour === 9 || hour === 8, hour === 5 || hour === 4];
    vendor.on("/company", isSlow ? later(700, found) : round(COMPANY));
    vendor.on("/credit", isBroken ? bare(503) : round(CREDIT));
    const count = 3 + Math.round(AT_ONCE * Math.sin((Math.PI * (HOURS - hour)) / HOURS));
    await Promise.all([...Array.from({ length: count }, run), ...Array.from({ length: 3 }, runFunction)]);
  }
  setBehind(0);
}

/** Some vendors hang, and a run waits for them. */
const AT_ONCE = 12;

const ASKED = {
  registry__company: true,
  bureau__credit_report: true,
  lists__sanctions: true,
  register__insolvency: true,
};

/** In turn, and from the beginning again. */
function round(turns: readonly Behaviour[]): Behaviour {
  let at = 0;
  return (socket, request) => inTurn(turns[at++ % turns.length]!)(socket, request);
}

function sourcesOf(vendor: Vendor, isLong: boolean): readonly SourceDeclaration[] {
  const key = {
    type: "object",
    properties: {
      api_key: {
        type: "string",
        minLength: 1,
        title: "API key",
        description: "From the vendor's portal, under Access.",
      },
    },
    required: ["api_key"],
    additionalProperties: false,
  } as const;
  const number = {
    type: "string",
    title: "Registration number",
    description: "As the register writes it.",
    examples: ["09446231"],
  } as const;
  const name = {
    type: "string",
    title: "Name",
    description: "The registered name.",
    examples: ["Example Trading Ltd"],
  } as const;
  const title = (text: string) => (isLong ? `${text}: ${LONG}, ${WORD}` : text);
  const one = (id: string, says: string, path: string, inputs: object, more: Partial<SourceDeclaration> = {}) =>
    source(
      id,
      async ({ http }) => {
        const reply = await http.get(vendor.origin + path, { answers: [404] });
        return reply.status === 404 ? null : reply;
      },
      {
        title: title(says),
        origins: [vendor.origin],
        inputs: inputs as SourceDeclaration["inputs"],
        // On a machine so busy that it would be reached, what comes of the runs would be something else.
        timeout_ms: 30_000,
        ...more,
      },
    );
  const ofNumber = { type: "object", properties: { number }, required: ["number"] };
  const ofBoth = { type: "object", properties: { number, name }, required: ["number"] };
  const ofName = { type: "object", properties: { name }, required: ["name"] };
  return [
    one("registry__company", "Company profile", "/company", ofNumber, {
      credentials: key,
      charge: { model: "per_success", amount: 0.5, currency: "EUR" },
    }),
    one("bureau__credit_report", "Credit report", "/credit", ofBoth, {
      credentials: key,
      charge: { model: "per_match", amount: 2.5, currency: "EUR" },
    }),
    one("lists__sanctions", "Sanctions lists", "/sanctions", ofName, { charge: "free" }),
    one("register__insolvency", "Insolvency announcements", "/insolvency", ofBoth, {
      credentials: key,
      charge: { model: "per_call", amount: 0.1, currency: "EUR" },
      // One of its turns hangs, which each world waits for.
      timeout_ms: 2_500,
    }),
  ];
}
