// The reporter of a test process: a line of JSON on file descriptor 3 when a test begins and when one ends, which the
// runner (`run-files.mjs`) reads.
import { writeSync } from "node:fs";

export default async function* report(events) {
  for await (const { type, data } of events) {
    const ended = type === "test:pass" || type === "test:fail";
    const isSuite = data?.details?.type === "suite";
    const error = type === "test:fail" ? data.details.error : undefined;
    if (type === "test:dequeue" && data.nesting === 1) {
      write({ event: "test", name: data.name });
    } else if (ended && !isSuite && error === undefined) {
      const isSkipped = data.skip !== undefined || data.todo !== undefined;
      write({ event: "outcome", outcome: isSkipped ? "skipped" : "passed" });
    } else if (error !== undefined && !(isSuite && error.failureType === "subtestsFailed")) {
      const cause = error.cause ?? error;
      const { name, line: at } = data;
      write({
        event: "outcome",
        outcome: "failed",
        name,
        at: isSuite ? undefined : at,
        error: String(cause?.stack ?? cause),
      });
    }
  }
  yield "";
}

function write(line) {
  writeSync(3, `${JSON.stringify(line)}\n`);
}
