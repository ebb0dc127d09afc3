import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readSavedText, writeSavedText } from "./saved-text.ts";

test("a saved text is read as it was, and counts as absent when its file was emptied, cut or changed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-saved-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const place = join(folder, "deeper", "kept.json");
  assert.equal(await readSavedText(place), null);
  const text = JSON.stringify({ lines: "a\nb", more: ["x".repeat(100)] });
  await writeSavedText(place, text);
  assert.equal(await readSavedText(place), text);
  const whole = readFileSync(place);
  const middle = whole.length / 2;
  for (const damaged of [
    Buffer.alloc(0),
    whole.subarray(0, middle),
    whole.subarray(0, whole.length - 1),
    Buffer.concat([whole.subarray(0, middle), Buffer.from("{}"), whole.subarray(middle + 2)]),
    whole.subarray(1),
  ]) {
    writeFileSync(place, damaged);
    assert.equal(await readSavedText(place), null);
  }
});
