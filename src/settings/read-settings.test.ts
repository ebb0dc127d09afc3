import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readSettings } from "./read-settings.ts";
import { optionOf, SETTINGS, type Setting } from "./table.ts";

const read = (options: Readonly<Record<string, string>>) => readSettings({ options });
const TIMES = (SETTINGS as readonly Setting[]).filter(({ key }) => key.endsWith("_ms"));

test("no time can be set that a timer does not take", () => {
  assert.ok(TIMES.length >= 7);
  for (const setting of TIMES) {
    assert.ok((setting.max ?? Infinity) <= 2_147_483_647, setting.key);
    for (const ms of ["2147483648", "9999999999", "-1", "1.5", "x"])
      assert.throws(() => read({ [optionOf(setting)]: ms }), ConfigError, `${setting.key} ${ms}`);
  }
});

test("a part of a time that is larger than the whole is refused by both names", () => {
  assert.throws(() => read({ "limits-headers-timeout-ms": "40000" }), {
    message: "limits.headers_timeout_ms (40000) must not be more than limits.request_timeout_ms (30000)",
  });
  assert.throws(() => read({ "limits-request-timeout-ms": "5000" }), ConfigError);
  read({ "limits-request-timeout-ms": "5000", "limits-headers-timeout-ms": "5000" });
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
  assert.throws(() => readSettings({ file: { limits: { function_processes_apart: 4 } }, suggest: String }), {
    constructor: ConfigError,
    message:
      /^limits\.function_processes_apart in the config file is no longer a setting, remove it: .+ limits\.function_processes /,
  });
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
