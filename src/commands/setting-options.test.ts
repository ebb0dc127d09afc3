import assert from "node:assert/strict";
import { test } from "node:test";
import { helpOn } from "../cli/help.ts";
import { fileVariableOf, optionOf, SETTINGS, variableOf, type Setting } from "../settings/table.ts";
import start from "./start.ts";

test("the help of a start says each setting's default, variables and allowed values", () => {
  const [, ...entries] = helpOn("start", start)
    .split("Example:")[0]!
    .replaceAll(/\s+/g, " ")
    .split(/ (?=--[a-z])/);
  const helped = new Map(entries.map((entry) => [entry.split(" ")[0]!, entry]));
  for (const setting of SETTINGS as readonly Setting[]) {
    if (setting.variableOnly === true) continue;
    const says = helped.get(`--${optionOf(setting)}`)!;
    const expected = [
      variableOf(setting),
      ...(fileVariableOf(setting) === null ? [] : [fileVariableOf(setting)!]),
      ...(typeof setting.default === "string" || typeof setting.default === "number" ? [`default ${setting.default}`] : []), // prettier-ignore
      ...(setting.oneOf === undefined ? [] : [setting.oneOf.join("|")]),
      ...(setting.max === undefined ? [] : [`to ${setting.max}`]),
    ];
    for (const text of expected) assert.ok(says.includes(text), `${text} is not in: ${says}`);
  }
});

test("it says which settings have no option", () => {
  const help = helpOn("start", start).split("Example:")[0]!.replaceAll(/\s+/g, " ");
  assert.ok(help.includes("By variable alone: DATARUN_ROOT_KEY or DATARUN_ROOT_KEY_FILE."));
  assert.ok(!help.includes("--root-key"));
});
