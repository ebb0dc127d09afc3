import assert from "node:assert/strict";
import { test } from "node:test";
import { fileVariableOf, SETTINGS, variableOf, type Setting } from "../settings/table.ts";
import { VARIABLES } from "../terms/variables.ts";
import { refuseMisspelledVariables } from "./misspelled-variables.ts";

test("a variable that is nearly the name of one that is read is refused, with the name that was meant", () => {
  for (const [name, meant] of [
    ["DATARUN_LIMIT_RUNS", "DATARUN_LIMITS_RUNS"],
    ["DATARUN_LIMIT_CONNECTIONS", "DATARUN_LIMITS_EXPERT_CONNECTIONS"],
    ["DATARUN_DATADIR", "DATARUN_DATA_DIR"],
    ["DATARUN_DATABASE_URL", "DATABASE_URL"],
    ["DATARUN_ROOTKEY", "DATARUN_ROOT_KEY"],
    ["DATARUN_ROOT_KEYS", "DATARUN_ROOT_KEY"],
    ["DATARUN_ROOTKEY_FILE", "DATARUN_ROOT_KEY_FILE"],
    ["DATARUN_DATABASE_URL_FILE", "DATABASE_URL_FILE"],
    ["DATARUN_LEDGER_RETENTION_DAY", "DATARUN_LEDGER_RETENTION_DAYS"],
    ["datarun_project", "DATARUN_PROJECT"],
    ["DATA_RUN_PORT", "DATARUN_PORT"],
  ] as const) {
    const says = new RegExp(`^${name} is not a setting: did you mean ${meant}\\?$`);
    assert.throws(() => refuseMisspelledVariables({ [name]: "x" }), { message: says }, name);
    refuseMisspelledVariables({ [name]: "" });
  }
});

test("a variable of an earlier version is refused, with what has replaced it", () => {
  assert.throws(() => refuseMisspelledVariables({ DATARUN_LIMITS_FUNCTION_RUNS_PER_PROCESS: "8" }), {
    message: /^DATARUN_LIMITS_FUNCTION_RUNS_PER_PROCESS is no longer a setting, remove it: .+/,
  });
});

test("the names that are read are accepted, and so are names of other software", () => {
  const settings = SETTINGS as readonly Setting[];
  const read = [...settings.map(variableOf), ...settings.flatMap((setting) => fileVariableOf(setting) ?? [])];
  const own = [
    "DATARUN_LIMITS_CONNECTIONS",
    "DATARUN_TOKEN",
    "DATARUN_ORG",
    "DATARUN_WORKFLOW",
    "DATARUN_SERVICE_HOST",
    "DATARUN_PORT_8080_TCP_ADDR",
  ];
  for (const name of [...read, ...own, "DATARUN_ROOT_KEY", "DATARUN_DEBUG", "DATABASE_URI", "DATARUN_", "PATH"])
    refuseMisspelledVariables({ [name]: "x" });
});

test("the names that code reads directly are those of settings", () => {
  const settings = SETTINGS as readonly Setting[];
  const read = new Set([...settings.map(variableOf), ...settings.map(fileVariableOf)]);
  for (const name of Object.values(VARIABLES)) assert.ok(read.has(name), name);
});
