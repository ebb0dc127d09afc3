import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Budget, BudgetScope } from "../../src/terms/money/budget.ts";
import { newId } from "../../src/terms/ids.ts";
import { deployment, STORES } from "./deployment.ts";

type Deployment = Awaited<ReturnType<typeof deployment>>;

/** Somebody who asks, with a credential of their own. */
interface Asker {
  readonly id: string;
  readonly token: string;
  readonly workflow: string;
  readonly credential: string;
}

/** What was said about `acme__people`; the word of the refusal is somewhere in it. */
type Road = (here: Deployment, asker: Asker) => Promise<string>;

/** Every way on which a vendor is asked for real. */
const ROADS: Readonly<Record<string, Road>> = {
  "POST /data": async (here, asker) => {
    const sources = { acme__people: { cred_id: asker.credential }, acme__sibling: true };
    const { status } = await here.post("/data", asker, { config: { sources } });
    assert.ok(status["acme__sibling"]!.success, "a sibling is untouched");
    return status["acme__people"]!.message;
  },
  "POST /func": async (here, asker) => {
    const body = { config: { data_func: "dfunc_ask", sources: { acme__people: { cred_id: asker.credential } } } };
    return JSON.stringify(await here.post("/func", asker, body));
  },
  "source run": async (here, { workflow, credential }) =>
    (await here.typed(`source run acme__people --workflow ${workflow} --credential ${credential}`)).stdout,
  "workflow run": async (here, { workflow }) =>
    (await here.typed(`workflow run ${workflow} --source acme__people`)).stdout,
  "function run": async (here, { workflow }) =>
    (await here.typed(`function run dfunc_ask --workflow ${workflow}`)).stdout,
  "source test --live": async (here, { credential }) => {
    const { stdout, stderr } = await here.typed(
      `source test acme__people --live --accept-charge --credential ${credential}`,
    );
    return stdout + stderr;
  },
  "credential verify": async (here, { credential }) =>
    JSON.stringify(await here.typed(`credential verify ${credential}`)),
};
/** What a road has nothing to do with. The call that checks a credential is declared never to be billed. */
const UNCOUNTED: Readonly<Record<string, readonly string[]>> = {
  "source test --live": ["workflow"],
  "credential verify": ["organization", "workflow", "source", "credential"],
};

const SCOPES: Readonly<Record<string, (asker: Asker) => Partial<BudgetScope>>> = {
  organization: () => ({}),
  workflow: ({ workflow }) => ({ workflowId: workflow }),
  source: () => ({ source: "acme__people" }),
  credential: ({ credential }) => ({ credentialId: credential }),
};

/** Each has room for two requests of 0.35 EUR, and no more. */
const LIMITS: Readonly<Record<string, Pick<Budget, "currency" | "limit" | "per">>> = {
  "2 calls": { currency: null, limit: 2n, per: "day" },
  "0.70 EUR": { currency: "EUR", limit: 700_000n, per: "month" },
};

async function anAsker(here: Deployment, key: string): Promise<Asker> {
  const made = await here.operator.createOrganization("A", { autoCredentials: true });
  const credential = await here.operator.storeCredential(made, { source: "acme__people", fields: { api_key: key } });
  return { ...made, credential };
}

async function setBudget(
  { admin }: Deployment,
  scope: Partial<BudgetScope> & { organizationId: string },
  limit: Pick<Budget, "currency" | "limit" | "per">,
) {
  const setWallAt = Date.now();
  const none = { workflowId: null, source: null, credentialId: null };
  const id = newId("budget", setWallAt);
  const act = { who: "operator", via: "cli", what: "budget set", wallAt: setWallAt } as const;
  await admin.setBudget(act, { id, ...none, ...scope, ...limit, timeZone: "UTC", warnPercent: 80, setWallAt });
  return id;
}

async function holdsOn(t: TestContext, here: Deployment): Promise<void> {
  let cells = 0;
  for (const [road, ask] of Object.entries(ROADS)) {
    for (const [scope, of] of Object.entries(SCOPES)) {
      for (const [text, limit] of Object.entries(LIMITS)) {
        // They take the way of the endpoints in the same service, so they are asked in one unit.
        if (road.endsWith(" run") && limit.currency !== null) continue;
        const key = `cell${(cells += 1)}`;
        const asker = await anAsker(here, key);
        const budget = await setBudget(here, { organizationId: asker.id, ...of(asker) }, limit);
        const said: string[] = [];
        for (const _ of ["below", "at", "above"]) said.push(await ask(here, asker));
        const counts = !(UNCOUNTED[road]?.includes(scope) ?? false);
        const refused = said.map((one) => /\bbudget\b/.test(one));
        if (counts) assert.match(said[2]!, new RegExp(`Adapter error: budget ${budget} `));
        const cell = `${road}, ${scope}, ${text}: ${said.join(" | ")}`;
        assert.deepEqual(refused, [false, false, counts], cell);
        assert.equal(here.vendor.count(`/${key}`), counts ? 2 : 3, cell);
      }
    }
  }
  t.diagnostic(`${cells} cells`);
}

for (const store of STORES) {
  test(`on every road and for every scope a budget allows what is below and at it, and nothing above it: ${store}`, async (t) => {
    await holdsOn(t, await deployment(t, store));
  });
}
