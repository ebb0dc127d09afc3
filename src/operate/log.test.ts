import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "./log.ts";

test("a log that somebody reads on a terminal does not control it, and says what was logged", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = createLog("info", join(folder, "log"));
  const file = "sources/\u009b2J\u0085\u202e.yaml";
  log.error({ event: "broken_file", file }, file);
  log.info({ event: "listening" });
  const text = await t.waitFor(() => {
    const written = readFileSync(join(folder, "log"), "utf8");
    assert.match(written, /listening.*\n/);
    return written;
  });
  assert.doesNotMatch(text, /(?!\n)\p{C}/u);
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ event, message }) => [event, message]),
    [
      ["broken_file", file],
      ["listening", undefined],
    ],
  );
});
