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
        file: { prt: 5, limits: { runz: 1, connections: "x" }, region: 7, oidc: "no" },
        options: { "admin-port": "x" },
        environment: { DATARUN_HOST: "h" },
        suggest,
      }),
    {
      constructor: ConfigError,
      message: [
        "prt in the config file is not a setting: true prt",
        "limits.runz in the config file is not a setting: true limits.runz",
        "oidc in the config file must be an object with settings",
        "--admin-port must be a whole number",
        "region in the config file must be a text",
        "limits.connections in the config file must be a whole number",
      ].join("\n"),
    },
  );
});

test("a setting of an earlier version is named as such, with what has replaced it", () => {
  const instead = /is no longer a setting, remove it: .+ limits\.function_processes /;
  for (const given of [
    { file: { limits: { function_processes_apart: 4 } }, suggest: String },
    { options: { "limits-function-processes-apart": "4" } },
  ])
    assert.throws(() => readSettings(given), { constructor: ConfigError, message: instead });
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
