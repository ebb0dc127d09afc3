import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
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
import { until } from "../rig/until.ts";
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
async function deployment(t: TestContext, engine: "sqlite" | "postgres") {
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
  const log = createLog("silent" as never, join(dataDir, "service.log"));

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

const FUNC = { data_func: "dfunc_decide" };
const DATA = { sources: { acme__facts: true, acme__coded: true } };

for (const engine of ["sqlite", "postgres"] as const)
  describe(engine, () => {
    test("a workflow goes back to earlier versions and forward again, without a restart", async (t) => {
      const { vendor, serve, deployNew, damage } = await deployment(t, engine);
      const first = await serve(t);
      const acme = await first.operator.createOrganization("Acme");
      const other = { ...acme, workflow: await first.operator.createWorkflow(acme.id) };
      assert.equal((await first.post("/func", FUNC, acme)).outputs.dfunc_decide.output.decision, "APPROVE");
      await first.close();
      deployNew();
      const service = await serve(t);
      const decided = async (as = acme) => (await service.post("/func", FUNC, as)).outputs.dfunc_decide.output;
      const { workflow } = acme;
      assert.deepEqual(await decided(), { decision: "DECLINE", output: { new: "new" } });

      // A pin of the function alone, then of the source too.
      const set = await service.verb("workflow set", { workflow, function: ["dfunc_decide=1"] });
      assert.deepEqual(
        set.versions.map(({ kind, id, number, percent }: Record<string, unknown>) => [kind, id, number, percent]),
        [["function", "dfunc_decide", 1, 100]],
      );
      await until(async () => (await decided()).decision === "APPROVE");
      assert.deepEqual((await decided()).output, { new: "new" });
      const digest = set.versions[0].digest as string;
      await service.verb("workflow set", { workflow, source: ["acme__facts=1"] });
      await until(async () => "old" in (await decided()).output);
      const { outputs } = await service.post("/data", DATA, acme);
      assert.deepEqual(outputs, { acme__facts: { old: "old" }, acme__coded: { text: "old" } });
      assert.deepEqual(await decided(other), { decision: "DECLINE", output: { new: "new" } });

      // The plan is that of the version.
      const plan = await service.verb("workflow plan", { workflow, source: ["acme__facts"] });
      assert.deepEqual([plan.at_most, plan.sources[0].input_names], [[{ amount: "1.00", currency: "EUR" }], ["old"]]);
      const listed = await service.verb("workflow list", { org: acme.id });
      assert.deepEqual(
        listed.workflows.map((each: { versions: object[] }) => each.versions.length),
        [0, 2],
      );

      // The ledger has what ran, and activity compares it.
      const { activity } = await service.verb("function activity", { function: "dfunc_decide", by: "version" });
      assert.deepEqual(
        new Set(activity.map((line: Record<string, unknown>) => line["version_number"])),
        new Set([1, 2]),
      );
      const lineOf = (number: number) =>
        activity.find((line: Record<string, unknown>) => line["version_number"] === number);
      assert.equal(lineOf(1).version, digest);
      assert.equal(lineOf(1).answered, lineOf(1).runs);
      assert.match(lineOf(2).cost[0], /^\d+(\.\d+)? EUR$/);

      // Rollback of the workflow that is not pinned, by name; then of all that have called the function.
      const rolled = await service.verb("function rollback", { function: "dfunc_decide", workflow: other.workflow });
      assert.deepEqual(
        rolled.workflows.map((each: Record<string, unknown>) => [each["did"], each["from"], each["to"]]),
        [["pinned", 2, 1]],
      );
      await until(async () => (await decided(other)).decision === "APPROVE");
      assert.match(
        await service.refusal("function rollback", { function: "dfunc_decide" }),
        /^Nothing was changed: /,
        "both are pinned to another version than the loaded one",
      );
      assert.match(
        await service.refusal("function rollback", { function: "dfunc_decide", workflow }),
        /^dfunc_decide has no version before 1 \(/,
      );
      await service.verb("workflow set", { workflow: other.workflow, function: ["dfunc_decide=1@90%"] });
      const pinned = await service.verb("function rollback", { function: "dfunc_decide" });
      assert.deepEqual(
        pinned.workflows
          .filter(({ did }: Record<string, unknown>) => did !== "nothing")
          .map(({ from, to, percent_before: percent }: Record<string, unknown>) => [from, to, percent]),
        [[2, 1, 90]],
      );
      await service.verb("workflow set", { workflow: other.workflow, function: ["dfunc_decide=latest"] });
      // Its only run may not have reached the shared ledger yet.
      const justCalled = { ...acme, workflow: await service.operator.createWorkflow(acme.id) };
      assert.equal((await decided(justCalled)).decision, "DECLINE");
      const all = await service.verb("function rollback", { function: "dfunc_decide" });
      assert.deepEqual(
        new Set(all.workflows.map((each: Record<string, string>) => `${each["workflow"]} ${each["did"]}`)),
        new Set([`${other.workflow} pinned`, `${justCalled.workflow} pinned`, `${workflow} nothing`]),
      );

      const refusal = (named: object) => service.refusal("workflow set", { workflow, ...named });
      assert.match(await refusal({ function: ["dfunc_none=1"] }), /^There is no function "dfunc_none"/);
      assert.match(await refusal({ function: ["dfunc_decide=3"] }), /has no version "3"\. It has 2 \(.{6}\), 1 \(/);
      for (const share of ["0", "101%", "-1%"]) await refusal({ function: [`dfunc_decide=1@${share}`] });
      assert.match(await refusal({ function: ["dfunc_decide=1@0"] }), /more than 0 and at most 100/);
      assert.match(await refusal({ function: ["dfunc_decide=latest@5%"] }), /latest takes no percentage/);
      await service.verb("workflow set", { workflow, source: ["acme__coded=1"] });

      const entries = (await service.operator.auditEntries()).filter(({ what }) => what === "workflow set");
      assert.deepEqual(entries.at(-1)?.detail, {
        versions: { functions: { dfunc_decide: { number: 1, digest } } },
      });

      // Damage of the stored text, at a service that has not loaded it yet.
      await service.verb("workflow set", { workflow: other.workflow, function: ["dfunc_decide=1"] });
      await service.close();
      await damage("function", "AAAA");
      const third = await serve(t);
      const status = async () => (await third.post("/func", FUNC, other)).status.dfunc_decide;
      const failed = await status();
      assert.match(failed.message, /^Data function error: version .{6} of this function, .* cannot be used/);
      assert.deepEqual(
        [failed.failure.kind, failed.failure.retryable, failed.failure.charged],
        ["internal", false, "no"],
      );
      await damage("source", "AAAA");
      const requests = vendor.count();
      const answer = await third.post("/data", DATA, acme);
      assert.equal(answer.status.acme__facts.failure.kind, "internal");
      assert.deepEqual(answer.outputs, { acme__facts: {}, acme__coded: { text: "old" } });
      assert.equal(vendor.count(), requests, "nothing was sent");
      assert.match(
        await third.refusal("workflow set", { workflow: other.workflow, function: ["dfunc_decide=1"] }),
        /is damaged/,
      );
      await third.verb("workflow set", { workflow: other.workflow, function: ["dfunc_decide=latest"] });
      await until(async () => (await status()).success);
    });

    test("a canary gets its share of the runs, and each run records what ran", async (t) => {
      const { serve, deployNew } = await deployment(t, engine);
      const first = await serve(t);
      const acme = await first.operator.createOrganization("Acme");
      await first.close();
      deployNew();
      const service = await serve(t);
      await service.verb("workflow set", { workflow: acme.workflow, source: ["acme__facts=1@50%"] });
      const names = async () => Object.keys((await service.post("/data", DATA, acme)).outputs.acme__facts)[0];
      await until(async () => (await names()) === "old");
      const RUNS = 200;
      const got: (string | undefined)[] = [];
      for (let at = 0; at < RUNS; at += 20) got.push(...(await Promise.all(Array.from({ length: 20 }, names))));
      const old = got.filter((name) => name === "old").length;
      assert.ok(Math.abs(old - RUNS / 2) <= 3 * Math.sqrt(RUNS / 4), `${old} of ${RUNS}`);
    });
  });
