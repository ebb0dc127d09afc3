/** The reporter of each test file: a line of JSON for each of its tests, which `run-files.mjs` reads. */
export default async function* report(events) {
  for await (const { type, data } of events) {
    if (data?.details?.type === "suite") continue;
    if (type === "test:pass") {
      yield line({ outcome: data.skip === undefined && data.todo === undefined ? "passed" : "skipped" });
    } else if (type === "test:fail") {
      const error = data.details.error?.cause ?? data.details.error;
      yield line({ outcome: "failed", name: data.name, at: data.line, error: String(error?.stack ?? error) });
    }
  }
  // Of a file that ends its own process, this line is missing.
  yield line({ outcome: "end" });
}

function line(value) {
  return `${JSON.stringify(value)}\n`;
}
