import assert from "node:assert/strict";
import { test } from "node:test";
import type { VersionStore } from "../admin/ports.ts";
import type { RunnableSource } from "../run/ports.ts";
import { Fault } from "../terms/fault.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { digestOf } from "../terms/version.ts";
import { createStoredVersions } from "./stored-versions.ts";

const DOCUMENT = (name: string) =>
  JSON.stringify({
    id: "acme__facts",
    title: "Facts",
    origins: ["https://facts.acme.example"],
    inputs: { type: "object", properties: { [name]: { type: "string" } } },
    request: { method: "GET", url: "https://facts.acme.example/facts" },
    match: { record: "status == `200`", no_record: "status == `404`" },
  });

const loaded = {
  id: "acme__facts",
  version: "loaded",
  declaration: { limits: { concurrency: 2 }, cases: [] },
} as unknown as RunnableSource;

function over(versionTexts: (content: string) => Promise<string | null>) {
  const clock = new FakeClock();
  let reads = 0;
  const store: Pick<VersionStore, "versionTexts"> = {
    async versionTexts({ digest }) {
      reads += 1;
      const content = await versionTexts(digest);
      return content === null ? null : { content, source: {} };
    },
  };
  const versions = createStoredVersions({ store, functions: () => assert.fail("no function"), clock });
  return { clock, versions, reads: () => reads };
}

test("a version is read once, whatever waits for it, and then found without a wait", async () => {
  const content = DOCUMENT("name");
  const { versions, reads } = over(async () => content);
  const digest = digestOf(content);
  const found = await Promise.all([1, 2, 3].map(async () => versions.source(loaded, digest)));
  assert.equal(reads(), 1);
  const again = versions.source(loaded, digest);
  assert.ok(!(again instanceof Promise));
  for (const each of found) assert.equal(each, again);
  assert.deepEqual([again.version, again.inputNames], [digest, ["name"]]);
  assert.equal(again.limitedAs, loaded, "its calls count against the limits of the loaded version");
  assert.equal(again.declaration.cases, loaded.declaration.cases);
});

test("a version in TypeScript, one that this release refuses and one that is missing fail for good, and verbs get the reason", async () => {
  const contents: Record<string, string | null> = {
    code: JSON.stringify({ files: { "sources/coded.ts": "export default {}" }, packages: {} }),
    refused: JSON.stringify({ ...(JSON.parse(DOCUMENT("name")) as object), request: 1 }),
    other: DOCUMENT("name").replace('"acme__facts"', '"acme__other"'),
    missing: null,
  };
  const { versions } = over(async (digest) => contents[digest]!);
  const reasons = { code: /TypeScript/, refused: /request/, other: /another id/, missing: /not in the store/ };
  for (const [digest, reason] of Object.entries(reasons)) {
    await assert.rejects(async () => versions.source(loaded, digest), { code: "source.version_unusable" });
    await assert.rejects(
      () => versions.trySource(loaded, digest),
      (error) => error instanceof OperatorError && error.code === "refused" && reason.test(error.message),
    );
  }
});

test("where the store does not answer, a run fails in time, and is told to try again", async () => {
  const { clock, versions } = over(() => new Promise(() => {}));
  const waiting = assert.rejects(
    async () => versions.source(loaded, "digest"),
    (fault) => fault instanceof Fault && fault.code === "source.version_unavailable" && fault.row.retryable,
  );
  await clock.advance(5_000);
  await waiting;
});

test("a failure is not repeated for every run, and is over once the store answers again", async () => {
  let isAway = true;
  const content = DOCUMENT("name");
  const { clock, versions, reads } = over(async () => {
    if (isAway) throw new OperatorError("unavailable", "The store does not answer.");
    return content;
  });
  const ask = async () => versions.source(loaded, digestOf(content));
  for (let run = 0; run < 3; run += 1) await assert.rejects(ask, { code: "source.version_unavailable" });
  assert.equal(reads(), 1);
  isAway = false;
  await clock.advance(1_000);
  assert.deepEqual((await ask()).inputNames, ["name"]);
});
