import assert from "node:assert/strict";
import { test } from "node:test";
import { helpOn } from "../../admin/cli/help.ts";
import { shapeOf } from "../../admin/cli/options.ts";
import { parseCommand } from "../../admin/cli/parse-command.ts";
import { fileVariableOf, optionOf, SETTINGS, variableOf, type Setting } from "../../settings/table.ts";
import { toSettingOptions } from "./setting-options.ts";
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
      ...(typeof setting.default === "string" || typeof setting.default === "number"
        ? [`default ${setting.default}`]
        : []),
      ...(setting.oneOf === undefined ? [] : [setting.oneOf.join("|")]),
      ...(setting.max === undefined ? [] : [`to ${setting.max}`]),
    ];
    for (const text of expected) assert.ok(says.includes(text), `${text} is not in: ${says}`);
  }
});

test("options of earlier versions are taken, and not shown", () => {
  const { input } = parseCommand(["--limits-headers", "50", "--limits-connections", "9"], shapeOf(start));
  assert.deepEqual(toSettingOptions(input), { "limits-headers": "50", "limits-connections": "9" });
  assert.doesNotMatch(helpOn("start", start), /--limits-(headers|connections) /);
});

test("it says which settings have no option", () => {
  const help = helpOn("start", start).split("Example:")[0]!.replaceAll(/\s+/g, " ");
  const [, alone] = /By variable alone: ([^.]+)\./.exec(help)!;
  for (const name of ["ROOT_KEY", "OIDC_CLIENT_SECRET"])
    assert.ok(alone!.includes(`DATARUN_${name} or DATARUN_${name}_FILE`), alone);
  assert.doesNotMatch(help, /--(root-key|oidc-client-secret)/);
});
