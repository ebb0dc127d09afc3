import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import { openKeyedStore } from "../../src/composition/open-store.ts";
import { start } from "../../src/composition/start.ts";
import { createLog } from "../../src/operate/log.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { shell } from "../cli/project-shell.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { createOperator } from "../rig/organization.ts";
import { Secrets } from "../rig/secrets.ts";
import { project } from "../start/project-folder.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

export const STORES = ["SQLite", "PostgreSQL"] as const;

/**
 * A service on one of the stores, a shell whose verbs work on the same one, and a vendor that counts. Its source asks
 * the vendor at the path that its credential says, for 0.35 EUR a request.
 */
export async function deployment(t: TestContext, on: (typeof STORES)[number], clock = systemClock) {
  // What was opened last ends first: the folders are there until the service has ended.
  const life: (() => unknown)[] = [];
  const during = { after: (cleanUp: () => unknown) => void life.unshift(cleanUp) };
  t.after(async () => {
    for (const cleanUp of life) await cleanUp();
  });
  const vendor = await startVendor(during);
  const { origin } = vendor;
  const folder = project(during, {
    "sources/acme__people.mjs": `
      const ask = ({ http, credentials }) => http.get("${origin}/" + credentials.api_key).then((reply) => reply.json());
      export default {
        id: "acme__people", title: "People", inputs: { type: "object" }, origins: ["${origin}"], live: { inputs: {} },
        credentials: { type: "object", required: ["api_key"], properties: { api_key: { type: "string" } } },
        charge: { model: "per_call", amount: "0.35", currency: "EUR" },
        run: ask, verify: (call) => ask(call).then(() => true),
      };`,
    "sources/acme__sibling.mjs": `export default {
        id: "acme__sibling", title: "Sibling", inputs: { type: "object" }, origins: ["${origin}"],
        charge: { model: "free" }, run: ({ http }) => http.get("${origin}/sibling").then((reply) => reply.json()),
      };`,
    "sources/acme__twice.mjs": `export default {
        id: "acme__twice", title: "Twice", inputs: { type: "object" }, origins: ["${origin}"],
        charge: { model: "per_call", amount: "0.35", currency: "EUR" },
        async run({ http }) {
          await http.get("${origin}/login", { free: true });
          await http.get("${origin}/first");
          return (await http.get("${origin}/second")).json();
        },
      };`,
    "sources/acme__moved.mjs": `export default {
        id: "acme__moved", title: "Moved", inputs: { type: "object" }, origins: ["${origin}"],
        charge: { model: "per_call", amount: "0.35", currency: "EUR" },
        run: ({ http }) => http.get("${origin}/moved", { redirects: 1 }).then((reply) => reply.json()),
      };`,
    "functions/ask.mjs": `export default {
        id: "dfunc_ask", title: "Ask",
        async run({ run }) {
          const { success, message } = await run("acme__people", {});
          return { success, message };
        },
      };`,
  });
  const { dataDir, run: typed } = shell(during, folder);
  const databaseUrl = on === "PostgreSQL" ? await newStoreDatabase(during) : undefined;
  const rootKey = databaseUrl === undefined ? undefined : randomBytes(32).toString("base64");
  // The verbs of the shell read them from there, as those of an operator do.
  if (databaseUrl !== undefined) Object.assign(process.env, { DATABASE_URL: databaseUrl, DATARUN_ROOT_KEY: rootKey });
  during.after(() => {
    delete process.env["DATABASE_URL"];
    delete process.env["DATARUN_ROOT_KEY"];
  });
  const settings = readSettings({
    environment: { DATARUN_ROOT_KEY: rootKey },
    options: {
      port: "0",
      "admin-port": "0",
      "data-dir": dataDir,
      project: folder,
      ...(databaseUrl !== undefined && { "database-url": databaseUrl }),
    },
  });
  const startHere = () => start({ settings, printDemo: () => {}, log: createLog("error"), clock });
  let running = await startHere();
  during.after(() => running.close());
  const opened = await openKeyedStore({ dataDir, databaseUrl, rootKey, clock: systemClock });
  await opened.proven;
  during.after(() => opened.store.close());
  const operator = createOperator(opened, systemClock, new Secrets());

  return {
    vendor,
    admin: opened.store.admin,
    operator,
    /** Runs a verb. */
    typed: (words: string) => typed(words.split(" ")),
    verb: async (words: string) => {
      const { code, stdout, stderr } = await typed([...words.split(" "), "--json"]);
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout) as Record<string, string>;
    },
    async post(path: "/data" | "/func", { token, workflow }: { token: string; workflow: string }, body: object) {
      const headers = {
        "content-type": "application/json",
        "x-service-access-token": token,
        "x-service-workflow": workflow,
      };
      const reply = await fetch(running.url + path, { method: "POST", headers, body: JSON.stringify(body) });
      return (await reply.json()) as { status: Record<string, { success: boolean; message: string }> };
    },
    metrics: async () => (await fetch(`${running.adminUrl}/metrics`)).text(),
    async restart() {
      await running.close();
      running = await startHere();
    },
  };
}

/** That deployment with an organization whose workflow has the credential `asked`. */
export async function withAsker(t: TestContext, store: (typeof STORES)[number], clock = systemClock) {
  const here = await deployment(t, store, clock);
  const asker = await here.operator.createOrganization("A", { autoCredentials: true });
  await here.operator.storeCredential(asker, { source: "acme__people", fields: { api_key: "asked" } });
  const post = (sources: object, workflow = asker.workflow) =>
    here.post("/data", { ...asker, workflow }, { config: { sources } });
  const ask = async () => (await post({ acme__people: true })).status["acme__people"]!;
  return { ...here, org: asker.id, asker, post, ask };
}
