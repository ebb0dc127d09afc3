import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { deploy } from "../rig/deployed.ts";
import { vendorProject } from "../lifecycle/vendor-project.ts";
import { project } from "../start/project-folder.ts";
import { json, type Behaviour } from "../vendor/behaviours.ts";
import { startService } from "../rig/service.ts";
import { answers } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const MIB = 1024 * 1024;
const LARGE = 99;
/** What the whole process may take on top of what it takes when it is idle. Without a bound one run took more. */
const GROWTH_MIB_MAX = 500;

test("runs of ninety-nine replies of 5 MiB and a late one neither end a small service nor fill its memory", async (t) => {
  const text = "x".repeat(5 * MIB - 200);
  // What is late comes when all the others have come: the run holds them till then.
  const late: (() => void)[] = [];
  const held: Behaviour = (socket, request) => void late.push(() => json({ late: true })(socket, request));
  const vendor = await startVendor(t, { paths: { "/large": json({ text }), "/late": held } });
  const names = Array.from({ length: LARGE }, (_, at) => `large_${at}`);
  const paths = Object.fromEntries([...names.map((name) => [name, "/large"]), ["late", "/late"]]) as Record<
    string,
    string
  >;
  const deployment = await deploy(t, {
    project: vendorProject(t, vendor, paths),
    env: {
      NODE_OPTIONS: "--max-old-space-size=256",
      DATARUN_LIMITS_EXPERT_REPLY_DECODED_BYTES: String(5 * MIB),
    },
  });
  const service = await deployment.start();
  await service.run({ acme__large_0: true });
  const residentMib = () => {
    // A process that has just ended takes nothing.
    const [, kib = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, "utf8")) ?? [];
    return Number(kib) / 1024;
  };
  const idle = residentMib();
  let most = idle;
  const watch = setInterval(() => (most = Math.max(most, residentMib())), 50).unref();

  const sources = Object.fromEntries(["acme__late", ...names.map((name) => `acme__${name}`)].map((id) => [id, true]));
  for (const atOnce of [1, 4]) {
    const before = vendor.count("/large");
    const running = Array.from({ length: atOnce }, () => service.run(sources));
    let letGo = false;
    const answered = Promise.all(running).finally(() => (letGo = true));
    // Until nothing new comes, or a source's own time is over.
    for (let seen = -1; !letGo && seen !== vendor.count("/large");) {
      seen = vendor.count("/large");
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
    for (const answer of late.splice(0)) answer();
    const all = await answered;
    const replies = all.filter(({ statusCode }) => statusCode === 200);
    // One for which there was no room at all has called nobody.
    for (const reply of all) if (!replies.includes(reply)) assert.equal(reply.json().error.code, "overloaded");
    assert.ok(replies.length > 0, "none was answered");
    for (const { text: answer } of replies) {
      assert.ok(Buffer.byteLength(answer) <= 32 * MIB, `${answer.length} letters`);
    }
    const statuses = replies.flatMap(
      (reply) => Object.values(reply.json().status) as { success: boolean; message: string }[],
    );
    for (const { success, message } of statuses)
      if (!success)
        assert.match(
          message,
          /no room in memory|no room for an answer|whole answer would be too large|waiting|timed out/,
        );
    const why = new Map<string, number>();
    for (const { message } of statuses) why.set(message, (why.get(message) ?? 0) + 1);
    const kept = statuses.filter(({ success }) => success).length;
    const asked = vendor.count("/large") - before;
    assert.ok(kept > 0, `none of ${statuses.length} was kept`);
    t.diagnostic(
      JSON.stringify({
        why: [...why],
        atOnce,
        asked,
        kept,
        mostMib: Math.round(most - idle),
      }),
    );
  }
  clearInterval(watch);
  assert.ok(most - idle < GROWTH_MIB_MAX, `${Math.round(most - idle)} MiB`);
  assert.equal((await service.run({ acme__large_0: true })).statusCode, 200);
});

test("outputs that sources create fail one by one where there is no memory for them, and the service goes on", async (t) => {
  const RUNS = 12;
  const ids = Array.from({ length: 20 }, (_, at) => `acme__made_${at}`);
  // Both kinds of outputs, each flat in memory as soon as it exists, and all at the same moment.
  const source = (id: string, at: number) =>
    `export default { id: "${id}", title: "T", inputs: {}, async run({ noMatch }) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const output = { text: Buffer.alloc(${5 * MIB}, "x").toString("latin1") };
      return ${at % 2 === 0 ? "output" : "noMatch(output)"};
    } };`;
  const files = Object.fromEntries(ids.map((id, at) => [`sources/${id}.mjs`, source(id, at)]));
  const deployment = await deploy(t, {
    project: project(t, files),
    env: { NODE_OPTIONS: "--max-old-space-size=256" },
  });
  const service = await deployment.start();
  const sources = Object.fromEntries(ids.map((id) => [id, true]));
  const replies = await Promise.all(Array.from({ length: RUNS }, () => service.run(sources)));
  const statuses = replies.flatMap(({ statusCode, json }) => {
    assert.equal(statusCode, 200);
    return Object.values(json().status) as { success: boolean; message: string }[];
  });
  assert.equal(statuses.length, RUNS * ids.length);
  const failed = statuses.filter(({ success }) => !success);
  assert.ok(failed.length > 0 && failed.length < statuses.length, `${failed.length} of ${statuses.length} failed`);
  for (const { message } of failed) assert.match(message, /no room in memory|whole answer would be too large/);
  assert.equal((await service.run({ acme__made_0: true })).json().status.acme__made_0.success, true);
});

test("the limit of an answer is in bytes: letters of three bytes each count as three", async (t) => {
  const ids = ["a", "b", "c", "d"].map((name) => `acme__${name}`);
  const service = await startService(t, { sources: ids.map((id) => answers(id, { text: "漢".repeat(3_400_000) })) });
  const reply = await service.run(Object.fromEntries(ids.map((id) => [id, true])));
  assert.ok(Buffer.byteLength(reply.text) <= 32 * MIB, `${Buffer.byteLength(reply.text)} bytes`);
  const failed = ids.filter((id) => !reply.json().status[id].success);
  assert.deepEqual(failed, ["acme__a"], "the first of those that are as large");
  assert.match(reply.json().status.acme__a.message, /the whole answer would be too large/);
});
