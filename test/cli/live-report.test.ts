import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

const CATALOG = fileURLToPath(new URL("../../catalog/sources", import.meta.url));

interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A vendor on loopback that answers as the first record of a source's cases, and with one field more if it has changed. */
async function playVendor(
  t: TestContext,
  replies: readonly Reply[],
  changed: boolean,
): Promise<{ origin: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const reply = replies[Math.min(heard.length, replies.length - 1)] ?? {};
    heard.push(`${request.method} ${request.url}`);
    const body = changed ? { ...(reply.body as object), brand_new: 1 } : reply.body;
    const headers = Object.entries(reply.headers ?? {}).map(([name, value]) => [
      name,
      value.replace(/^https:\/\/[^/]+/, `http://${request.headers.host}`),
    ]);
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...Object.fromEntries(headers) });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

test("every free vendor of the catalog is asked once, and what differed from its case is in the report", async (t) => {
  for (const file of globSync("**/*.ts", { cwd: CATALOG }).filter((name) => !name.endsWith(".test.ts"))) {
    const text = readFileSync(join(CATALOG, file), "utf8");
    assert.ok(
      !/^ {2}origins:/m.test(text) || text.includes("x-example"),
      `${file} has a vendor that is not played here`,
    );
  }
  const files: Record<string, string> = {};
  const vendors = new Map<string, { readonly heard: string[]; readonly requests: number }>();
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
    vendors.set(id, { heard: vendor.heard, requests: [found.reply].flat().length });
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
  await json([
    "credential",
    "create",
    "--org",
    org,
    "--source",
    "companies_house__company_profile",
    "--set",
    "api_key=k",
    "--default",
  ]);
  const path = join(folder, "report.json");
  const made = await run([
    "source",
    "test",
    "--all",
    "--live",
    "--free-only",
    "--report",
    path,
    "--org",
    org,
    "--mark",
  ]);
  const report = JSON.parse(readFileSync(path, "utf8")) as {
    date: string;
    version: string;
    sources: readonly {
      source: string;
      passed: boolean;
      outcome: string;
      charged: string;
      differences: string[];
      "x-live-tested": string;
    }[];
    skipped: readonly { source: string; why: string }[];
  };
  assert.match(report.date, /^\d{4}-\d{2}-\d{2}$/);
  for (const { source, outcome, differences, charged, "x-live-tested": tested } of report.sources) {
    assert.equal(outcome, "record", source);
    assert.equal(charged, "no", source);
    const { heard, requests } = vendors.get(source)!;
    assert.equal(heard.length, requests, `${source} was asked once`);
    assert.deepEqual(
      differences,
      source === "brreg__enhet" ? ["brand_new is in the reply but not in the case"] : [],
      source,
    );
    assert.equal(tested, `${report.date}, version ${report.version}`);
    const [vendor, name] = source.split("__");
    const marked = readFileSync(join(folder, `sources/${vendor}/${name}.yaml`), "utf8");
    assert.equal(
      marked,
      files[`sources/${vendor}/${name}.yaml`]!.replace("x-live-tested: never", `x-live-tested: ${tested}`),
    );
    assert.equal((await json(["source", "show", source])).live_tested, tested);
  }
  assert.match(
    vendors.get("brreg__enhet")!.heard[0]!,
    /974760673$/,
    "what is sent is what the vendor is known to have",
  );
  const asked = report.sources.map(({ source }) => source);
  const keyless = [...vendors.keys()].filter((id) => !asked.includes(id));
  for (const id of keyless) {
    assert.match(report.skipped.find(({ source }) => source === id)!.why, /no credential of the organization/, id);
    assert.deepEqual(vendors.get(id)!.heard, [], id);
    assert.equal((await json(["source", "show", id])).live_tested, "never");
  }
  assert.ok(
    asked.length >= 9 && asked.includes("companies_house__company_profile") && keyless.length >= 1,
    made.stdout,
  );
  assert.match(report.skipped.find(({ source }) => source === "twilio__lookup")!.why, /its vendor bills/);
  assert.equal(made.code, 0, made.stdout + made.stderr);
  assert.match(made.stdout, /^differs brreg__enhet, case "[^"]+": record\n +brand_new is in the reply/m);
});

test("the options of --free-only are checked, and without a report file no vendor is called", async (t) => {
  const { run, json } = shell(t, project(t, {}));
  const says = async (...options: string[]) => (await run(["source", "test", ...options])).stderr;
  assert.match(await says("--free-only"), /--free-only belongs to --all --live/);
  assert.match(await says("--all", "--live"), /name it, or give --all --free-only/);
  assert.match(await says("--all", "--live", "--free-only"), /--free-only needs --report/);
  assert.match(await says("--all", "--mark"), /--mark belongs to --free-only/);
  assert.match(
    await says("--all", "--live", "--free-only", "--report", "x", "--accept-charge"),
    /--accept-charge applies to one source/,
  );
  assert.match(await says("--all", "--live", "--free-only", "--report", "x"), /There is no store/);
  await json(["org", "create", "Acme"]);
  assert.match(
    await says("--all", "--live", "--free-only", "--report", "/nowhere/x"),
    /The report \/nowhere\/x cannot be written \(ENOENT\)\. Without a report no vendor is called/,
  );
});

test("without a network the report says so, and marks nothing as tested", async (t) => {
  // Every vendor of the catalog is behind a proxy that is not there.
  const folder = project(t, { "datarun.config.ts": `export default { outbound: { proxy: "http://127.0.0.1:1" } };` });
  const { run, json } = shell(t, folder);
  await json(["org", "create", "Acme"]);
  const path = join(folder, "report.json");
  const made = await run(["source", "test", "--all", "--live", "--free-only", "--report", path]);
  assert.equal(made.code, 1);
  assert.match(made.stderr, /No vendor could be reached, so the report says nothing about them/);
  const { sources } = JSON.parse(readFileSync(path, "utf8")) as { sources: Record<string, unknown>[] };
  assert.ok(sources.length > 0);
  for (const { outcome, requests, "x-live-tested": tested } of sources)
    assert.deepEqual([outcome, requests, tested], ["unreachable", 0, "never"]);
});

test("a vendor without a record for a case's inputs is reported as called with inputs that may be invented", async (t) => {
  const vendor = await playVendor(t, [{ status: 404, body: {} }], false);
  const file = `id: acme__people\ntitle: P\ninputs: {type: object, properties: {n: {type: string}}}\norigins: ['${vendor.origin}']\n
request: {url: '${vendor.origin}/p', query: {n: '{{ inputs.n }}'}}\nmatch: {record: body.n, no_record: status == \`404\`}\ncharge: free\n
LIVEcases: [{name: found, inputs: {n: made-up}, reply: {body: {n: x}}, expect: {match: true}}]\n`;
  const found = async (live: string) => {
    const { run } = shell(t, project(t, { "sources/people.yaml": file.replace("LIVE", live) }));
    await run(["org", "create", "Acme"]);
    return (await run(["source", "test", "acme__people", "--live"])).stdout;
  };
  assert.match(
    await found(""),
    /with case "found"[\s\S]*expects record; its inputs may be made up: declare others under `live`/,
  );
  assert.match(
    await found("live: {inputs: {n: real}}\n"),
    /with the inputs that the source declares for this[\s\S]*expects record\n/,
  );
  assert.deepEqual(vendor.heard, ["GET /p?n=made-up", "GET /p?n=real"]);
});
