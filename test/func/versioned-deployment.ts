import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openKeyedStore } from "../../src/composition/open-store.ts";
import { start } from "../../src/composition/start.ts";
import { createLog } from "../../src/operate/log.ts";
import { readSettings } from "../../src/settings/read-settings.ts";
import { openEngine } from "../../src/storage/store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { adminPort } from "../rig/admin.ts";
import { createClient } from "../rig/client.ts";
import { createOperator } from "../rig/organization.ts";
import { Secrets } from "../rig/secrets.ts";
import { project } from "../start/project-folder.ts";
import { json } from "../vendor/behaviours.ts";
import { startVendor, type Vendor } from "../vendor/scripted-vendor.ts";

const DECIDES = (decision: string) => `import { Type } from "datarun";
export default { id: "dfunc_decide", title: "Decides",
  inputs: Type.Object({ ${decision.toLowerCase()}: Type.Optional(Type.String()) }),
  async run({ run }) {
    const { output } = await run("acme__facts", {});
    return { output: { decision: "${decision}", output } };
  } };`;
const FACTS = ({ origin }: Vendor, name: string, amount: number) => `
id: acme__facts
title: Facts
origins: ["${origin}"]
inputs: { type: object, properties: { ${name}: { type: string } } }
charge: { model: per_call, amount: ${amount}, currency: EUR }
limits: { concurrency: 5 }
request: { method: GET, url: "${origin}/facts/${name}" }
match: { record: "body.found != \`null\`", no_record: "body.found == \`null\`" }
map: { ${name}: body.found }
cases:
  - { name: one, inputs: {}, reply: { body: { found: ${name} } }, expect: { match: true, output: { ${name}: ${name} } } }
`;
const CODED = (text: string) =>
  `export default { id: "acme__coded", title: "Coded", inputs: {}, run: () => ({ text: "${text}" }) };`;

/** A project whose service is started again with changed files, on one store. */
export async function versionedDeployment(t: TestContext, engine: "sqlite" | "postgres") {
  const vendor = await startVendor(t);
  for (const name of ["old", "new"]) vendor.on(`/facts/${name}`, json({ found: name }));
  const folder = project(t, {
    "functions/decide.ts": DECIDES("APPROVE"),
    "sources/facts.yaml": FACTS(vendor, "old", 1),
    "sources/coded.ts": CODED("old"),
  });
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-versions-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const databaseUrl = engine === "postgres" ? await newStoreDatabase(t) : undefined;
  const rootKey = databaseUrl === undefined ? undefined : randomBytes(32).toString("base64");
  const options = { port: "0", "admin-port": "0", "data-dir": dataDir, project: folder, "limits-drain-ms": "0" };
  const settings = readSettings({
    environment: { DATARUN_ROOT_KEY: rootKey },
    options: { ...options, ...(databaseUrl !== undefined && { "database-url": databaseUrl }) },
  });
  const logFile = join(dataDir, "service.log");
  const log = createLog("warn", logFile);

  async function serve(life: TestContext) {
    const running = await start({ settings, log });
    const opened = await openKeyedStore({ dataDir, databaseUrl, rootKey, clock: systemClock });
    await opened.proven;
    const secrets = new Secrets();
    const operator = createOperator(opened, systemClock, secrets);
    const client = createClient(running.url);
    let closed = false;
    const close = async () => {
      if (closed) return;
      closed = true;
      await running.close();
      client.close();
      await opened.store.close();
    };
    life.after(close);
    const admin = adminPort(life, running.adminUrl, secrets);
    const ada = await operator.appoint("operator", `ada ${randomBytes(3).toString("hex")}`);
    return {
      operator,
      close,
      versions: operator.versionsOf,
      verb: (name: string, input: object) => admin.result(name, input, ada),
      refusal: async (name: string, input: object): Promise<string> => {
        const reply = await admin.call(name, input, { as: ada });
        assert.notEqual(reply.statusCode, 200, reply.text);
        return reply.json().error.message as string;
      },
      async post(path: "/data" | "/func", config: object, as: { readonly token: string; readonly workflow: string }) {
        const headers = {
          "Content-Type": "application/json",
          "X-Service-Access-Token": as.token,
          "X-Service-Workflow": as.workflow,
        };
        const reply = await client.send({
          method: "POST",
          path,
          headers,
          body: JSON.stringify({ config, inputs: {} }),
        });
        assert.equal(reply.statusCode, 200, reply.text);
        return reply.json();
      },
    };
  }

  return {
    vendor,
    serve,
    deployNew() {
      writeFileSync(join(folder, "functions/decide.ts"), DECIDES("DECLINE"));
      writeFileSync(join(folder, "sources/facts.yaml"), FACTS(vendor, "new", 2));
    },
    deployOldFunction: () => writeFileSync(join(folder, "functions/decide.ts"), DECIDES("APPROVE")),
    deployNewCode: () => writeFileSync(join(folder, "sources/coded.ts"), CODED("new")),
    /** The lines of the services' log with this event. */
    async logged(event: string) {
      await log.written(1_000);
      const lines = readFileSync(logFile, "utf8").split("\n").filter(Boolean);
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line["event"] === event);
    },
    /** Replaces the stored text of the first version of a function or source. */
    async damage(kind: "function" | "source", content: string) {
      const opened = await openEngine({ dataDir, databaseUrl, clock: systemClock });
      await opened.ready();
      const rows = opened.writer.updateTable("versions").where("kind", "=", kind).where("number", "=", 1);
      await rows.set({ content }).execute();
      await opened.close();
    },
  };
}
