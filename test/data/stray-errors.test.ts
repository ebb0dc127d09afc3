import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../rig/until.ts";
import { startCommand } from "../rig/command.ts";
import { project } from "../start/project-folder.ts";

const STRANGE = "a text of the adapter's own, 4f1c";

/** A source that answers, and leaves something behind that goes off when its run is over. */
function leaves(name: string, behind: string): [string, string] {
  const text = `export default {
    id: "stray__${name}", title: "Leaves something behind", inputs: { type: "object" },
    run() { ${behind}; return { ok: true }; },
  };`;
  return [`sources/${name}.js`, text];
}

const BEHIND = {
  timer: `setTimeout(() => { throw new Error("${STRANGE}"); }, 5)`,
  rejection: `void Promise.reject(new TypeError("${STRANGE}"))`,
  tick: `process.nextTick(() => { throw "${STRANGE}"; })`,
  immediate: `setImmediate(() => { throw undefined; })`,
  emitter: `import("node:events").then(({ EventEmitter }) => new EventEmitter().emit("error", new Error("${STRANGE}")))`,
  proxy: `setTimeout(() => { throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } }); }, 5)`,
};

test("what an adapter throws when its run is over costs a line of the log and nothing else", async (t) => {
  const folder = project(t, Object.fromEntries(Object.entries(BEHIND).map(([name, behind]) => leaves(name, behind))));
  const service = await startCommand(t, ["--demo", "--project", folder]);
  const sources = Object.fromEntries(Object.keys(BEHIND).map((name) => [`stray__${name}`, true]));

  for (let round = 1; round <= 3; round += 1) {
    const { outputs } = await service.data({ config: { sources } });
    for (const id of Object.keys(sources)) assert.deepEqual(outputs[id], { ok: true }, id);
    const strays = () => service.log().filter(({ event }) => event === "stray_error");
    await until(() => strays().length === round * Object.keys(BEHIND).length);
  }

  assert.equal((await fetch(`${service.url}/status`)).status, 200, "the same process answers");
  assert.ok(!JSON.stringify(service.log()).includes(STRANGE));
  assert.equal(service.stderr().includes(STRANGE), false);
  service.signal("SIGTERM");
  assert.equal((await service.ended).code, 0);
});
