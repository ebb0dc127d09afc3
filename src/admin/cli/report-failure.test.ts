import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { OperatorError } from "../../terms/operator-error.ts";
import { reportFailure } from "./report-failure.ts";

test("why a command failed is safe on a terminal, as text and as JSON, and JSON has all of it", async () => {
  const message = "There is no \u009b2J\u001b[2J\u202e.";
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  await reportFailure(
    new OperatorError("refused", message),
    { stdin: new PassThrough(), stdout, stderr, env: {} },
    true,
  );
  const [out, err] = [String(stdout.read()), String(stderr.read())];
  assert.doesNotMatch(out + err, /(?!\n)\p{C}/u);
  assert.equal((JSON.parse(out) as { error: { message: string } }).error.message, message);
});

test("an unexpected failure says which variable shows where it happened, and with it shows that", async () => {
  const failed = new Error("A defect.");
  for (const [env, said] of [
    [{}, /Set DATARUN_DEBUG=1 to see where\.\n$/],
    [{ DATARUN_DEBUG: "1" }, /Error: A defect\.\n +at /],
  ] as const) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    await reportFailure(failed, { stdin: new PassThrough(), stdout, stderr, env }, false);
    assert.match(String(stderr.read()), said);
  }
});

test("a failure has colours on a terminal, and none in a pipe", async (t) => {
  const forced = process.env["FORCE_COLOR"];
  delete process.env["FORCE_COLOR"];
  t.after(() => forced !== undefined && (process.env["FORCE_COLOR"] = forced));
  for (const isTTY of [true, false]) {
    const stderr = Object.assign(new PassThrough(), { isTTY, getColorDepth: () => 4 });
    const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr, env: {} };
    await reportFailure(new OperatorError("refused", "No."), io, false);
    assert.equal(String(stderr.read()).includes("\u001b["), isTTY);
  }
});
