/** Failures in full, then the one line that says how it went. */
export default async function* summary(events) {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for await (const { type, data } of events) {
    const leaf = data?.details?.type !== "suite";
    if (type === "test:pass" && leaf) {
      if (data.skip === undefined && data.todo === undefined) passed += 1;
      else skipped += 1;
    } else if (type === "test:fail" && leaf) {
      failed += 1;
      const error = data.details.error?.cause ?? data.details.error;
      yield `\nFAILED ${data.name}\n  ${data.file ?? ""}:${data.line ?? ""}\n${indent(String(error?.stack ?? error))}\n`;
    } else if (type === "test:stderr" && process.env.TEST_STDERR) {
      yield data.message;
    }
  }
  yield `\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`;
}

function indent(text) {
  return text.replace(/^/gm, "    ");
}
