import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoadedVersion } from "../admin/ports.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { digestOf } from "../terms/version.ts";
import { ACT, anOrganization, aWorkflow, type EngineUnderTest } from "./engines.kit.ts";

const DEPLOYED = { wallAt: ACT.wallAt, build: "1.2.0", deployedBy: "pipeline 7" };

function aVersion(id: string, content: string, parts: Partial<LoadedVersion> = {}): LoadedVersion {
  const texts = () =>
    Promise.resolve({ content, source: { "functions/x.ts": `source of ${content} \u0000 \ud800 É` } });
  return { kind: "function", id, digest: digestOf(content), origin: "project", texts, ...parts };
}

/** The guarantees of the store of versions, on every engine. */
export function versionsContract(engine: EngineUnderTest): void {
  const { name } = engine;

  test(`${name}: versions are numbered for each function in the order of registration, and found by number and digest`, async (t) => {
    const open = await engine.newStore(t);
    const { admin } = await open();
    const [a, b] = [aVersion("dfunc_x", "a"), aVersion("dfunc_x", "b")];
    const [first] = await admin.registerVersions([a, aVersion("dfunc_y", "a")], DEPLOYED);
    assert.deepEqual(first, {
      kind: "function",
      id: "dfunc_x",
      digest: a.digest,
      number: 1,
      origin: "project",
      firstWallAt: ACT.wallAt,
      build: "1.2.0",
      deployedBy: "pipeline 7",
    });
    const added = await admin.registerVersions([b, a], { ...DEPLOYED, build: null, deployedBy: null });
    assert.deepEqual(
      added.map(({ id, number }) => [id, number]),
      [["dfunc_x", 2]],
    );
    assert.deepEqual(
      (await admin.versions("function", "dfunc_x")).map(({ number, digest }) => [number, digest]),
      [
        [2, b.digest],
        [1, a.digest],
      ],
    );
    assert.deepEqual(await admin.versions("source", "dfunc_x"), []);
    const numberOf = async (which: string) => (await admin.findVersion("function", "dfunc_x", which))?.number ?? null;
    assert.equal(await numberOf("2"), 2);
    assert.equal(await numberOf("3"), null);
    assert.equal(await numberOf(b.digest), 2);
    assert.equal(await numberOf(b.digest.slice(0, 6)), 2);
    assert.equal(await numberOf(b.digest.slice(0, 5)), null);
    assert.equal((await admin.versionsOf([a.digest, "unknown"])).length, 2, "one of each function");
  });

  test(`${name}: two versions with one beginning are not found by it`, async (t) => {
    const { admin } = await (await engine.newStore(t))();
    const alike = ["abcdef_111111111", "abcdef-222222222"].map((digest) => aVersion("dfunc_x", digest, { digest }));
    await admin.registerVersions(alike, DEPLOYED);
    assert.equal(await admin.findVersion("function", "dfunc_x", "abcdef"), null);
    assert.equal((await admin.findVersion("function", "dfunc_x", "abcdef-"))?.number, 2);
    assert.equal((await admin.findVersion("function", "dfunc_x", "abcdef_"))?.number, 1);
  });

  test(`${name}: the stored content has the digest of its version, and damage is reported`, async (t) => {
    const { admin } = await (await engine.newStore(t))();
    const one = aVersion("dfunc_x", `\u0000 \ud7ff ${"x".repeat(2 ** 20)}`);
    const wrong = aVersion("dfunc_x", "b", { digest: digestOf("c") });
    await admin.registerVersions([one, wrong], DEPLOYED);
    const { content, source } = (await admin.versionTexts(one))!;
    assert.equal(digestOf(content), one.digest);
    assert.deepEqual(source, (await one.texts()).source);
    await assert.rejects(admin.versionTexts(wrong), OperatorError);
    assert.equal(await admin.versionTexts({ ...one, id: "dfunc_y" }), null);
  });

  test(`${name}: processes that register the same and other versions at once agree on the numbers`, async (t) => {
    const open = await engine.newStore(t);
    const stores = [await open(), await open()];
    const all = Array.from({ length: 20 }, (_, at) => aVersion(`dfunc_${at % 4}`, `content ${at}`));
    await Promise.all(
      stores.map(({ admin }, at) => admin.registerVersions(at === 0 ? all : all.toReversed(), DEPLOYED)),
    );
    for (let at = 0; at < 4; at += 1) {
      const numbers = (await stores[0]!.admin.versions("function", `dfunc_${at}`)).map(({ number }) => number);
      assert.deepEqual(numbers, [5, 4, 3, 2, 1]);
    }
    assert.deepEqual(await stores[1]!.admin.registerVersions(all, DEPLOYED), []);
  });

  test(`${name}: a version after the first leaves an audit entry`, async (t) => {
    const { admin } = await (await engine.newStore(t))();
    const [a, b] = ["a", "b"].map((content) => aVersion("acme__people", content, { kind: "source" }));
    await admin.registerVersions([a!], DEPLOYED);
    assert.deepEqual(await admin.auditEntries({}), []);
    await admin.registerVersions([a!, b!], DEPLOYED);
    const entries = await admin.auditEntries({});
    assert.deepEqual(
      entries.map(({ id: _, ...entry }) => entry),
      [
        {
          wallAt: ACT.wallAt,
          who: "service",
          via: "service",
          what: "source.change",
          organizationId: null,
          subjectId: "acme__people",
          detail: { number: 2, digest: b!.digest, previous: a!.digest, deployed_by: "pipeline 7" },
        },
      ],
    );
  });

  test(`${name}: a workflow keeps the versions that it names`, async (t) => {
    const store = await (await engine.newStore(t))();
    const { admin, access } = store;
    const organizationId = await anOrganization(store);
    const named = { functions: { dfunc_x: { version: "abc", percent: 10 } }, sources: {}, shadow: {} };
    const workflow = await admin.createWorkflow(ACT, { ...aWorkflow(organizationId), versions: named });
    assert.deepEqual((await admin.workflow(workflow!.id))?.versions, named);
    assert.deepEqual((await access.findWorkflow(workflow!.id))?.versions, named);
    const { id } = (await admin.createWorkflow(ACT, aWorkflow(organizationId)))!;
    assert.equal((await access.findWorkflow(id))?.versions, null);
  });

  test(`${name}: the workflows that name a version are found`, async (t) => {
    const store = await (await engine.newStore(t))();
    const { admin } = store;
    const organizationId = await anOrganization(store);
    const versions = {
      functions: { dfunc_x: { version: "abc", percent: 10 } },
      sources: { acme__people: { version: "def", percent: 100 } },
      shadow: { dfunc_x: { version: "ghi", percent: 20 } },
    };
    const workflow = (await admin.createWorkflow(ACT, { ...aWorkflow(organizationId), versions }))!;
    await admin.createWorkflow(ACT, aWorkflow(organizationId));
    const of = { workflowId: workflow.id, workflowName: workflow.name, organizationId };
    assert.deepEqual(await admin.versionUses("function", "dfunc_x"), [
      { ...of, use: "run", digest: "abc", percent: 10 },
      { ...of, use: "shadow", digest: "ghi", percent: 20 },
    ]);
    assert.deepEqual(await admin.versionUses("source", "acme__people"), [
      { ...of, use: "run", digest: "def", percent: 100 },
    ]);
    assert.deepEqual(await admin.versionUses("source", "dfunc_x"), []);
    await admin.createWorkflow(ACT, { ...aWorkflow(organizationId), versions });
    const off = { functions: { dfunc_x: { version: "off", percent: 100 } }, sources: {}, shadow: {} };
    await admin.createWorkflow(ACT, { ...aWorkflow(organizationId), versions: off, disabled: true });
    assert.deepEqual(await admin.namedVersions(), [
      { kind: "function", id: "dfunc_x", digest: "abc" },
      { kind: "source", id: "acme__people", digest: "def" },
    ]);
  });

  test(`${name}: the newest version of every function and source is found`, async (t) => {
    const { admin } = await (await engine.newStore(t))();
    const all = [
      aVersion("dfunc_x", "a"),
      aVersion("dfunc_x", "b"),
      aVersion("dfunc_y", "a"),
      aVersion("acme__people", "a", { kind: "source" }),
    ];
    await admin.registerVersions(all, DEPLOYED);
    assert.deepEqual(
      new Set((await admin.newestVersions()).map(({ id, number, digest }) => `${id} ${number} ${digest}`)),
      new Set([`dfunc_x 2 ${digestOf("b")}`, `dfunc_y 1 ${digestOf("a")}`, `acme__people 1 ${digestOf("a")}`]),
    );
  });
}
