import { writeFileSync } from "node:fs";

/** Failures in full as they come; the counts at the end go to the file that `run.mjs` adds them up from. */
export default async function* summary(events) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of events) {
    const leaf = data?.details?.type !== "suite";
    if (type === "test:pass" && leaf) {
      if (data.skip === undefined && data.todo === undefined) totals.passed += 1;
      else totals.skipped += 1;
    } else if (type === "test:fail" && leaf) {
      totals.failed += 1;
      const store = process.env.TEST_STORE === "postgres" ? " (on PostgreSQL)" : "";
      const error = data.details.error?.cause ?? data.details.error;
      yield `\nFAILED ${data.name}${store}\n  ${data.file ?? ""}:${data.line ?? ""}\n${indent(String(error?.stack ?? error))}\n`;
    } else if (type === "test:stderr" && process.env.TEST_STDERR) {
      yield data.message;
    }
  }
  writeFileSync(process.env.TEST_TOTALS_FILE, JSON.stringify(totals));
}

function indent(text) {
  return text.replace(/^/gm, "    ");
}
