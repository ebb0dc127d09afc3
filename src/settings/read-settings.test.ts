import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readSettings } from "./read-settings.ts";
import { optionOf, SETTINGS, type Setting } from "./table.ts";

const read = (options: Readonly<Record<string, string>>) => readSettings({ options });
const TIMES = (SETTINGS as readonly Setting[]).filter(({ key }) => key.endsWith("_ms"));

test("no time can be set that a timer does not take", () => {
  assert.ok(TIMES.length >= 6);
  for (const setting of TIMES) {
    assert.ok((setting.max ?? Infinity) <= 2_147_483_647, setting.key);
    for (const ms of ["2147483648", "9999999999", "-1", "1.5", "x"])
      assert.throws(() => read({ [optionOf(setting)]: ms }), ConfigError, `${setting.key} ${ms}`);
  }
});

test("all mistakes of all origins are named at once, and misspelled keys with what was probably meant", () => {
  const suggest = (written: string, known: readonly string[]) =>
    `${known.includes("limits.runs") && known.includes("limits")} ${written}`;
  assert.throws(
    () =>
      readSettings({
        file: { prt: 5, limits: { runz: 1, connections: "x", expert: { queue: 1 } }, region: 7, oidc: "no" },
        options: { "admin-port": "x" },
        environment: { DATARUN_HOST: "h" },
        suggest,
      }),
    {
      constructor: ConfigError,
      message: [
        "prt in the config file is not a setting: true prt",
        "limits.runz in the config file is not a setting: true limits.runz",
        "limits.expert.queue in the config file is not a setting: true limits.expert.queue",
        "oidc in the config file must be an object with settings",
        "--admin-port must be a whole number",
        "region in the config file must be a text",
        "limits.connections in the config file must be a whole number",
      ].join("\n"),
    },
  );
});

test("a setting of an earlier version is named as such, with what has replaced it", () => {
  const instead = /is no longer a setting, remove it: .+ limits\.expert\.function_processes /;
  for (const given of [
    { file: { limits: { function_processes_apart: 4 } }, suggest: String },
    { options: { "limits-function-processes-apart": "4" } },
  ])
    assert.throws(() => readSettings(given), { constructor: ConfigError, message: instead });
});

test("a setting's former name works in every place, is reported, and wins over places that come later", () => {
  const file = { limits: { connections: 1, held_bytes: 2, expert: { vendor_queue: 3 } } };
  const environment = { DATARUN_LIMITS_CONNECTIONS: "4", DATARUN_LIMITS_EXPERT_VENDOR_QUEUE: "5" };
  const { limits, renamed } = readSettings({ file, environment, options: { "limits-vendor-queue": "6" } });
  assert.deepEqual([limits.expert.connections, limits.expert.heldBytes, limits.expert.vendorQueue], [4, 2, 6]);
  assert.deepEqual(renamed, [
    { setting: "DATARUN_LIMITS_CONNECTIONS", instead: "DATARUN_LIMITS_EXPERT_CONNECTIONS" },
    { setting: "limits.held_bytes in the config file", instead: "limits.expert.held_bytes" },
    { setting: "--limits-vendor-queue", instead: "--limits-expert-vendor-queue" },
  ]);
  assert.deepEqual(readSettings({ file: { limits: { expert: { connections: 1 } } } }).renamed, []);
  assert.throws(() => readSettings({ options: { "limits-connections": "x" } }), {
    message: "--limits-connections must be a whole number",
  });
});

test("two names of one setting in one place are refused: nobody could say which one counts", () => {
  assert.throws(() => readSettings({ file: { limits: { connections: 1, expert: { connections: 1 } } } }), {
    message:
      "limits.connections and limits.expert.connections are both set in the config file: remove limits.connections, its former name",
  });
  assert.throws(() => read({ "limits-connections": "1", "limits-expert-connections": "1" }), /are both set: remove --/);
});

test("every default is one that could be set", () => {
  for (const setting of SETTINGS as readonly Setting[])
    if (typeof setting.default === "number") read({ [optionOf(setting)]: String(setting.default) });
});

test("admin_hosts takes host names alone: with a port or a scheme one would never be asked for", () => {
  const read = (hosts: string) => readSettings({ options: { "admin-hosts": hosts } }).adminHosts;
  assert.deepEqual(read("admin.acme.example, 10.0.0.7,[fd00::1]"), ["admin.acme.example", "10.0.0.7", "[fd00::1]"]);
  for (const wrong of ["admin.acme.example:8081", "https://admin.acme.example", "a/b", "*", "a b", "fd00::1"])
    assert.throws(() => read(wrong), /admin_hosts holds .*: give host names alone/, wrong);
});
