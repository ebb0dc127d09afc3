import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { project } from "../start/project-folder.ts";
import { playVendor, type Proof, type Reply } from "./played-vendor.ts";
import { shell } from "./project-shell.ts";

const CATALOG = fileURLToPath(new URL("../../catalog/sources", import.meta.url));

interface Played {
  readonly heard: readonly string[];
  readonly replies: readonly Reply[];
  readonly requests: number;
  readonly hasInputs: boolean;
}

interface Row {
  readonly source: string;
  readonly state: "proved" | "failed" | "skipped";
  readonly outcome: string;
  readonly message: string | null;
  readonly differences: readonly string[];
}

test("every free vendor of the catalog with public inputs is asked once, and what it answered is proved", async (t) => {
  for (const file of globSync("**/*.ts", { cwd: CATALOG }).filter((name) => !name.endsWith(".test.ts"))) {
    const text = readFileSync(join(CATALOG, file), "utf8");
    assert.ok(
      !/^ {2}origins:/m.test(text) || text.includes("x-example"),
      `${file} has a vendor that is not played here`,
    );
  }
  const files: Record<string, string> = {};
  const vendors = new Map<string, Played>();
  for (const file of globSync("**/*.yaml", { cwd: CATALOG }).sort()) {
    const text = readFileSync(join(CATALOG, file), "utf8");
    const { id, charge, cases, ...rest } = parse(text) as {
      id: string;
      charge: unknown;
      cases: readonly { expect: { match?: boolean }; reply: Reply | Reply[] }[];
    };
    const isFree = charge === "free" || (charge as { model?: string }).model === "free";
    if (!isFree || "x-example" in rest) continue;
    const found = cases.find(({ expect }) => expect.match === true)!;
    const vendor = await playVendor(t, [found.reply].flat(), id === "brreg__enhet");
    const replies = [found.reply].flat();
    if (id === "brreg__enhet") replies.push({ body: { brand_new: 1 } });
    vendors.set(id, { ...vendor, replies, requests: [found.reply].flat().length, hasInputs: "live" in rest });
    const [head, ...after] = text.split(/^cases:/m);
    files[`sources/${file}`] = [
      head!.replaceAll(/https:\/\/[a-z0-9.*-]+(?=[/\]\s,'"]|$)/gm, (origin, at: number) =>
        head!.lastIndexOf("docs:", at) > head!.lastIndexOf("\n", at) ? origin : vendor.origin,
      ),
      ...after,
    ].join("cases:");
  }
  assert.ok(vendors.size >= 12);
  const folder = project(t, files);
  const { run, json } = shell(t, folder);
  const { organization_tuid: org } = await json(["org", "create", "Acme"]);
  const keyed = ["--source", "companies_house__company_profile", "--set", "api_key=k", "--default"];
  await json(["credential", "create", "--org", org, ...keyed]);

  const made = await run(["prove", "--free-only", "--json"]);

  const { sources, file } = JSON.parse(made.stdout) as { sources: readonly Row[]; file: string };
  const rowOf = (id: string) => sources.find(({ source }) => source === id)!;
  const text = readFileSync(join(folder, "datarun.proofs.json"), "utf8");
  const proofs = JSON.parse(text) as Record<string, Proof>;
  assert.match(file, /datarun\.proofs\.json$/);
  const proved = sources.filter(({ state }) => state === "proved").map(({ source }) => source);
  assert.deepEqual(Object.keys(proofs), proved.toSorted());
  assert.ok(proved.length >= 9 && proved.includes("companies_house__company_profile"), made.stdout);
  for (const [id, { heard, replies, requests, hasInputs }] of vendors) {
    const { state, outcome, message, differences } = rowOf(id);
    if (!proved.includes(id)) {
      assert.deepEqual([state, heard], ["skipped", []], id);
      assert.match(message!, hasInputs ? /no credential of the organization/ : /declares no inputs under `live`/, id);
      assert.equal((await json(["source", "show", id])).live_tested, "never");
      continue;
    }
    assert.equal(outcome, "record", id);
    assert.equal(heard.length, requests, `${id} was asked once`);
    const changed = id === "brreg__enhet" ? ["brand_new is in the reply but not in the case"] : [];
    assert.deepEqual(differences, changed, id);
    const proof = proofs[id]!;
    const shown = await json(["source", "show", id]);
    assert.deepEqual(shown.proof, { date: proof.date, build: proof.build, match: true, outdated: false });
    assert.equal(shown.live_tested, proof.date);
    // A reply that redirects is not one of the source.
    assert.ok(proof.replies.length >= 1 && proof.replies.length <= requests, id);
    const names = new Set(replies.flatMap(({ body }) => namesIn(body)));
    for (const path of proof.replies.flatMap(({ shape }) => Object.keys(shape)))
      assert.ok(isOf(path, names), `${id}: ${path} has only names of fields`);
  }
  for (const { replies, output } of Object.values(proofs))
    for (const type of [...replies.map(({ shape }) => shape), output].flatMap((shape) => Object.values(shape)))
      assert.match(type, /^(?:(?:boolean|list|null|number|object|text)(?: or (?!$)|$))+$/);
  assert.match(
    vendors.get("brreg__enhet")!.heard[0]!,
    /974760673$/,
    "what is sent is what the vendor is known to have",
  );
  assert.match(rowOf("twilio__lookup").message!, /^off: /);
  assert.equal(made.code, 0, made.stdout + made.stderr);
});

/** The names of a document's members. XML is read by its tags. */
function namesIn(body: unknown): readonly string[] {
  if (typeof body === "string") return body.match(/[\w@#$-]+/g) ?? [];
  if (typeof body !== "object" || body === null) return [];
  if (Array.isArray(body)) return body.flatMap(namesIn);
  return Object.entries(body).flatMap(([name, part]) => [name, ...namesIn(part)]);
}

/** Whether a path consists of these names. A name may contain a dot. */
function isOf(path: string, names: ReadonlySet<string>): boolean {
  return path
    .split(/\[\]\.?|\./)
    .filter(Boolean)
    .every(
      (part) =>
        part === "*" ||
        part === "#text" ||
        [...names].some((name) => name === part.replace("@", "") || name.includes(part)),
    );
}
