import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { commandOf } from "./command-of.ts";

test("a command that is pasted into a shell has each value as one word, and runs nothing in it", () => {
  const filter = { what: "org rename", who: `$(id) \`id\` "it's" \\ ;`, from: "2026-03-01T10:30Z", org: "org_1" };
  assert.equal(
    commandOf("audit list", { org: "org_1", what: "org rename" }),
    "datarun audit list --org org_1 --what 'org rename'",
  );
  assert.equal(commandOf("ledger list", { min_duration_ms: 5 }), "datarun ledger list --min-duration-ms 5");
  const command = commandOf("audit list", filter).replace("datarun", "printf '%s\\n'");
  const words = execFileSync("sh", ["-c", command]).toString().trimEnd().split("\n");
  assert.deepEqual(words, [
    "audit",
    "list",
    ...Object.entries(filter).flatMap(([name, value]) => [`--${name}`, value]),
  ]);
});
