import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { OperatorError } from "../terms/operator-error.ts";
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
