import assert from "node:assert/strict";
import { test } from "node:test";
import { defineConfig } from "../sdk/config.ts";
import { readSettings } from "./read-settings.ts";
import { SETTINGS, type Setting } from "./table.ts";

test("every row of the table is a value of the settings, under its name in code", () => {
  const settings = readSettings() as unknown as Record<string, unknown>;
  for (const { key, default: value } of SETTINGS as readonly Setting[]) {
    const path = key
      .split(".")
      .map((name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
    const found = path.reduce<unknown>((within, name) => (within as Record<string, unknown>)[name], settings);
    assert.deepEqual(found, value, key);
  }
});

test("a config file may say whatever the table has, and the compiler knows what that is", () => {
  // The compiler checks each of these lines; the expected errors are marked, so that a looser type fails.
  const config = defineConfig({
    ledger_retention_days: 30,
    outbound: { trace_origins: ["https://a.example"] },
    limits: { runs: 5, connections: 8, expert: { held_bytes: 7 } },
  });
  const settings = readSettings({ file: config });
  const runs: number = settings.limits.runs;
  assert.equal(runs, 5);
  const heldBytes: number = settings.limits.expert.heldBytes;
  assert.equal(heldBytes, 7);
  assert.equal(settings.ledgerRetentionDays, 30);
  assert.deepEqual(settings.outbound.traceOrigins, ["https://a.example"]);
  // @ts-expect-error a misspelt name
  defineConfig({ limits: { rnus: 5 } });
  // @ts-expect-error a limit that was never another's name
  defineConfig({ limits: { expert: { runs: 5 } } });
  // @ts-expect-error a value of another kind
  defineConfig({ overload_status: 404 });
  // @ts-expect-error the folder that the file lies in is the project
  defineConfig({ project: "elsewhere" });
  // @ts-expect-error a text is not a number
  const region: number = settings.region;
  assert.equal(region, "local");
});

test("an expert's setting says what raising it costs", () => {
  const experts = (SETTINGS as readonly Setting[]).filter(({ key }) => key.startsWith("limits.expert."));
  assert.ok(experts.length > 0);
  for (const { key, says } of experts) assert.match(says, /\. Raising it \w/, key);
});
