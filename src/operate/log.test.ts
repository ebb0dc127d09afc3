import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "./log.ts";

test("a log on a terminal does not control the terminal, and shows what was logged", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const log = createLog("info", join(folder, "log"));
  const file = "sources/\u009b2J\u0085\u202e.yaml";
  log.error({ event: "broken_file", file }, file);
  log.info({ event: "listening" });
  await log.written(60_000);
  const text = readFileSync(join(folder, "log"), "utf8");
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

test("each line has the time at which it was logged", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 2, 10) });
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  for (const laterMs of [0, 0, 1, 999]) {
    t.mock.timers.setTime(Date.now() + laterMs);
    log.info({ event: "run" });
  }
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { readonly time: string }).time.slice(11)),
    ["00:00:00.000Z", "00:00:00.000Z", "00:00:00.001Z", "00:00:01.000Z"],
  );
});

test("all lines are written at the end of a wait, also those whose write is in progress when it begins", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-log-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "log");
  const log = createLog("info", file);
  for (let count = 1; count <= 50; count += 1) {
    log.info({ event: "run", count });
    log.flushNow();
    await log.written(60_000);
    assert.equal(readFileSync(file, "utf8").split("\n").length - 1, count);
  }
});
