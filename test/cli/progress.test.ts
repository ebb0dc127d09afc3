import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { findVerbs, type VerbSet } from "../../src/admin/find-verbs.ts";
import type { VerbCall } from "../../src/admin/needs.ts";
import { defineVerb } from "../../src/admin/verb.ts";
import { osActor } from "../../src/admin/cli/os-actor.ts";
import { runCli } from "../../src/admin/cli/run-cli.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { until } from "../rig/until.ts";

/** Runs one verb with this body, and says what is printed while it works. */
function shell(body: (call: VerbCall, printed: () => string, interrupt: () => void) => Promise<void>, env = {}) {
  let [printed, interrupt] = ["", () => {}];
  let now = 0;
  const into = new Writable({
    write(chunk: Buffer, _encoding, done) {
      printed += chunk.toString();
      done();
    },
  });
  const verb = defineVerb({
    summary: "Work",
    example: "",
    input: {},
    role: "operator",
    changes: true,
    needs: [],
    interrupted: "Give the same command again.",
    async run(_input, call) {
      await body(
        call,
        () => printed,
        () => interrupt(),
      );
      return { done: true };
    },
  });
  const verbs: VerbSet = { names: ["work do"], load: async () => verb };
  const onInterrupt = (listener: () => void) => {
    interrupt = listener;
    return () => {
      interrupt = () => {};
    };
  };
  const io = { stdin: Readable.from([]), stdout: into, stderr: into, env, onInterrupt };
  const run = async (...args: string[]) =>
    runCli(["work", "do", ...args], io, {
      verbs,
      lasting: {},
      // Each look at it is a second later, so that nothing is too soon to be shown.
      clock: { ...systemClock, now: () => (now += 1_000) },
      version: async () => "v1",
      open: async (_place, _needs, note) => ({
        given: { clock: systemClock, actor: osActor(), note },
        close: async () => {},
      }),
    });
  return { run, printed: () => printed, interrupt: () => interrupt() };
}

test("a note is printed when it is made, not when the command ends", async () => {
  let between = "";
  const { run, printed } = shell(async ({ note }, printedNow) => {
    note("the first half is done");
    between = printedNow();
  });
  assert.equal(await run("--json"), 0);
  assert.equal(between, "the first half is done\n");
  assert.equal(printed(), `the first half is done\n{"done":true}\n`);
});

test("an interrupted command prints what is done and how to continue", async () => {
  const { run, printed, interrupt } = shell(async ({ onProgress }, _printed, now) => {
    onProgress("data keys wrapped", 1_200, 5_000);
    now();
  });
  await run();
  assert.match(printed(), /^Interrupted after 1,200 of 5,000 data keys wrapped\. Give the same command again\.\n/);
  interrupt();
  assert.equal(printed().match(/Interrupted/g)?.length, 1, "nobody listens after the end");
});

test("every verb that does its work bit by bit says how to go on with it", async () => {
  const { names, load } = findVerbs();
  const declared = await Promise.all(names.map(async (name) => [name, (await load(name)).interrupted] as const));
  assert.deepEqual(
    declared.filter(([, says]) => says !== undefined).map(([name]) => name),
    [
      "audit export",
      "keys rotate",
      "ledger drain",
      "ledger export",
      "ledger prune",
      "ledger settle",
      "ledger settle-unknown",
      "prove",
      "state apply",
      "store backup",
      "store copy",
      "store restore",
    ],
  );
});

test("of a command that a service does, progress and remarks are printed as they occur, and an interruption prints that it continues", async (t) => {
  const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  let end = (): void => {};
  const server = createServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "Datarun-Api": "1" });
    for (const done of [1, 20, 300]) response.write(event("progress", { what: "runs", done, of: 5_000 }));
    response.write(event("note", { says: "Half of them are old." }));
    end = () => response.end(event("result", { done: true }));
  }).listen(0, "127.0.0.1");
  t.after(() => (server.closeAllConnections(), server.close()));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const env = { DATARUN_REMOTE: `http://127.0.0.1:${port}`, DATARUN_OPERATOR_TOKEN: `dop_${"0".repeat(49)}` };
  const { run, printed, interrupt } = shell(async () => assert.fail("it is done elsewhere"), env);
  const running = run();
  await until(() => printed().includes("Half of them are old."));
  assert.equal(printed().includes("done"), false);
  interrupt();
  assert.match(printed(), /Interrupted after 300 of 5,000 runs\. The command continues in the service\.\n$/);
  end();
  assert.equal(await running, 0);
});
