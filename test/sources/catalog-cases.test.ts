import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createOutboundClient } from "../../src/outbound/http-client.ts";
import { renderReport, runCases } from "../../src/simulation/run-cases.ts";
import creditReport from "../../catalog/sources/example_order/credit_report.ts";
import { compileDocument, compileKnown } from "../../src/sources/declarative/compile-document.ts";
import { readDocument } from "../../src/sources/declarative/format/read-document.ts";
import { toRunnable } from "../../src/sources/runnable.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import type { Json } from "../../src/terms/json/json.ts";

const folder = fileURLToPath(new URL("../../catalog/sources", import.meta.url));
const files = globSync("**/*.yaml", { cwd: folder }).sort();

describe("every declarative source of the catalog", { concurrency: 8 }, () => {
  const parts = { door: createOutboundClient({ clock: systemClock }), clock: systemClock };
  after(() => parts.door.close());

  for (const file of files) {
    test(`${file} does what its cases say, and its cases show what they must`, async () => {
      const { value, root } = readDocument(readFileSync(join(folder, file), "utf8"), file);
      const declaration = compileDocument(value, root);
      assert.equal(`${declaration.id.replace("__", "/")}.yaml`, file, "its path and its id agree");
      const annotations = declaration as unknown as Readonly<Record<string, unknown>>;
      if (annotations["x-example"] !== true) {
        assert.match(declaration.docs ?? "", /^https:/, "it cites the vendor's own documentation");
        const { inputProblem, filter } = toRunnable(declaration, createSchemas(), "now");
        const live = declaration.live?.inputs;
        if (live !== undefined) {
          assert.equal(inputProblem(filter(live)), null, "its live inputs are valid");
          assert.deepEqual(Object.keys(filter(live)), Object.keys(live));
        }
      }
      // As it is read, and as a start takes it from what was kept of the one before.
      const known = compileKnown(JSON.parse(JSON.stringify(value)) as Json);
      assert.equal(JSON.stringify(known), JSON.stringify(declaration));
      assert.deepEqual(Object.keys(known), Object.keys(declaration));
      for (const source of [declaration, known]) {
        const report = await runCases(toRunnable(source, createSchemas(), "now"), parts);
        assert.equal(report.passed, true, renderReport(report));
        assert.deepEqual(
          report.cases.flatMap(({ warnings }) => warnings),
          [],
        );
      }
    });
  }

  test("a source in TypeScript that orders and waits does what its cases say", async () => {
    const report = await runCases(toRunnable(creditReport, createSchemas(), "now"), parts);
    assert.equal(report.passed, true, renderReport(report));
  });

  test("there are the vendors that the catalog promises", () => {
    const vendors = new Set(files.map((file) => file.split("/")[0]));
    assert.ok([...vendors].filter((vendor) => !vendor!.startsWith("example_")).length >= 40);
    for (const example of ["example_signed", "example_mtls", "example_login"]) assert.ok(vendors.has(example));
  });
});
