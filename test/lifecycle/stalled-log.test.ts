import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { MESSAGES_QUOTA } from "../../src/operate/log-quota.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";
import { deploy, type Process } from "../rig/deployed.ts";

const MIB = 1024 * 1024;
/** Less than the time that a stop has (`limits.shutdown_grace_ms`). */
const STOPPED_MS = 20_000;

interface Logging {
  readonly service: Process;
  /** Runs of other organizations than before, each of which logs all that an organization may log at once. */
  logMuch(organizations: number): Promise<void>;
}

async function open(t: TestContext): Promise<Logging> {
  const source = `export default { id: "acme__here", title: "T", inputs: { type: "object", properties: { bytes: {} } },
    run({ inputs, log }) { for (let left = inputs.bytes ?? 0; left > 0; left -= 2_000) log.info("x".repeat(2_000)); return {}; } };`;
  const deployment = await deploy(t, { project: project(t, { "sources/here.mjs": source }) });
  const service = await deployment.start();
  const body = { config: { sources: { acme__here: true } }, inputs: { bytes: MESSAGES_QUOTA.burstBytes } };
  let made = 0;
  return {
    service,
    async logMuch(organizations) {
      const callers = await deployment.operate(async (operator) => {
        const each = [];
        for (let at = 0; at < organizations; at += 1)
          each.push(await operator.createOrganization(`Acme ${(made += 1)}`));
        return each;
      });
      for (const as of callers) assert.equal((await service.post("/data", body, { as })).statusCode, 200);
    },
  };
}

/** A service whose log nobody reads any more, and some ten megabytes of lines that it wanted to write. */
async function stalled(t: TestContext): Promise<Logging> {
  const logging = await open(t);
  logging.service.readLog(false);
  await logging.logMuch(10);
  return logging;
}

async function droppedLines({ adminUrl }: Process): Promise<number> {
  const page = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^datarun_log_lines_dropped_total (\S+)$/m.exec(page)![1]);
}

test("an unread log takes a bounded buffer; dropped lines are counted, and reported when it is read again", async (t) => {
  const { service, logMuch } = await stalled(t);
  await until(async () => (await droppedLines(service)) > 400);
  const dropped = await droppedLines(service);
  const before = rssBytes(service.pid);
  // A hundred and fifty megabytes of lines; what is garbage of it may have grown the heap.
  await logMuch(150);
  await until(async () => (await droppedLines(service)) > dropped + 45_000);
  assert.ok(rssBytes(service.pid) - before < 110 * MIB, `it grew by ${(rssBytes(service.pid) - before) / MIB} MiB`);

  service.readLog(true);
  // Four megabytes come before it, through a pipe that holds 64 KiB.
  await until(() => service.stdout().includes('"log_lines_dropped"'));
  const told = service.log().filter(({ event }) => event === "log_lines_dropped");
  assert.equal(
    told.reduce((sum, { lines }) => sum + Number(lines), 0),
    await droppedLines(service),
  );
  assert.equal((await service.run({ acme__here: true })).statusCode, 200);
  await until(() => service.log().at(-1)!["event"] === "run");
});

test("an unread log does not prevent a stop", async (t) => {
  const { service } = await stalled(t);
  const toldAt = performance.now();
  service.signal("SIGTERM");
  const { code, at } = await service.ended;
  assert.equal(code, 0);
  assert.ok(at - toldAt < STOPPED_MS, `it took ${Math.round(at - toldAt)} ms`);
});

function rssBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1024;
}
