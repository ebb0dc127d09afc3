import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { deploy, type Access, type Process, type StartOptions } from "../rig/deployed.ts";
import { vendorProject } from "../lifecycle/vendor-project.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";
import { HOSTILE_PATHS } from "./hostile-vendor.ts";

/** A service with everything in it that an attack needs. A attacks; B only wants its answers. */
export interface Target {
  readonly service: Process;
  readonly a: Access;
  readonly b: Access;
  /** Resident memory of the service's own process. */
  residentMib(): number;
  /** One healthy run of B's, by its status code; 0 when there was no answer. */
  askAsB(): Promise<{ readonly statusCode: number }>;
}

export const LARGE_SOURCES = 99;
/** Sources that send the whole text of their caller, and the vendors that share them and never answer. */
export const TEXT_SOURCES = 100;
const SILENT_VENDORS = 10;

export async function openTarget(
  t: TestContext,
  { env = {}, ...start }: StartOptions & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Target> {
  const vendor = await startVendor(t, { paths: HOSTILE_PATHS });
  // Another vendor for the well-behaved, as they have in the world.
  const others = await startVendor(t, { paths: { "/ok": HOSTILE_PATHS["/ok"]! } });
  const paths = Object.fromEntries(
    ["slow", "large", "late", "crumbs", "padded-crumbs", "many-nodes"].map((name) => [
      name.replace("-", "_"),
      `/${name}`,
    ]),
  );
  const silent = await Promise.all(
    Array.from({ length: SILENT_VENDORS }, (_, at) => startSilent(t, at % 2 === 0 ? "reads" : "reads nothing")),
  );
  const large = Object.fromEntries(Array.from({ length: LARGE_SOURCES }, (_, at) => [`large_${at}`, "/large"]));
  const project = vendorProject(
    t,
    vendor,
    { ...paths, ...large },
    {
      "sources/quiet.mjs": source("acme__quiet", others.origin, "/ok"),
      "sources/cdata.yaml": xmlSource("acme__cdata", `${vendor.origin}/cdata`, vendor.origin),
      "sources/many_elements.yaml": xmlSource("acme__many_elements", `${vendor.origin}/many-elements`, vendor.origin),
      ...textSources(silent),
      ...FUNCTIONS,
    },
  );
  const deployment = await deploy(t, { project, env });
  const b = await deployment.operate((operator) => operator.createOrganization("Bell"));
  const service = await deployment.start(start);
  return {
    service,
    a: deployment.access,
    b,
    residentMib: () => residentMib(service.pid),
    askAsB: () =>
      service.post("/data", { config: { sources: { acme__quiet: true } } }, { as: b }).then(
        (reply) => ({ statusCode: reply.statusCode === 200 && reply.json().status.acme__quiet.success ? 200 : 599 }),
        () => ({ statusCode: 0 }),
      ),
  };
}

/** 0 once it has ended. */
function residentMib(pid: number): number {
  if (!existsSync(`/proc/${pid}/status`)) return 0;
  const [, kib = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kib) / 1024);
}

function source(id: string, origin: string, path: string): string {
  return `export default { id: "${id}", title: "T", origins: ["${origin}"], inputs: {}, run: ({ http }) => http.get("${origin}${path}") };`;
}

function xmlSource(id: string, url: string, origin: string): string {
  return [
    `id: ${id}`,
    "title: T",
    "inputs: {type: object}",
    `origins: ['${origin}']`,
    `request: {method: GET, url: '${url}'}`,
    "reply: {format: xml}",
    "match: {record: '`true`', no_record: '`false`'}",
    "map: {root: body}",
    "",
  ].join("\n");
}

/** A vendor that takes connections and never says anything. */
async function startSilent(t: TestContext, does: "reads" | "reads nothing"): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.push(socket.on("error", () => {}));
    if (does === "reads") socket.resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function textSources(origins: readonly string[]): Readonly<Record<string, string>> {
  const ids = Array.from({ length: TEXT_SOURCES }, (_, at) => [at, `text_${at}`] as const);
  return Object.fromEntries(
    ids.map(([at, name]) => [`sources/${name}.yaml`, textSource(`acme__${name}`, origins[at % origins.length]!)]),
  );
}

function textSource(id: string, origin: string): string {
  return [
    `id: ${id}`,
    "title: T",
    "timeout_ms: 12000",
    "inputs: {type: object, properties: {text: {type: string}}}",
    `origins: ['${origin}']`,
    `request: {method: POST, url: '${origin}/', body: {json: {text: '{{ inputs.text }}'}}}`,
    "match: {record: '`true`', no_record: '`false`'}",
    "",
  ].join("\n");
}

const FUNCTIONS: Readonly<Record<string, string>> = {
  "functions/quick.mjs": `export default { id: "dfunc_quick", title: "T", run: () => ({ output: { ok: true } }) };`,
  "functions/waits.mjs": `export default { id: "dfunc_waits", title: "T", timeout_ms: 20000, run: () => new Promise(() => {}) };`,
  "functions/hog.mjs": `export default { id: "dfunc_hog", title: "T", memory_mb: 64, run() {
    const kept = [];
    for (;;) kept.push(new Uint8Array(4_000_000).fill(1));
  } };`,
  "functions/together.mjs": `export default { id: "dfunc_together", title: "T", timeout_ms: 12000, async run() {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const kept = [];
    for (let n = 0; n < 14; n += 1) kept.push(new Uint8Array(4_000_000).fill(1));
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return { output: { kept: kept.length } };
  } };`,
  "functions/pattern.mjs": `export default { id: "dfunc_pattern", title: "T", timeout_ms: 3000,
    output: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } },
    run: () => ({ output: { a: "a".repeat(34) + "!" } }) };`,
  "functions/unique.mjs": `export default { id: "dfunc_unique", title: "T", timeout_ms: 3000,
    output: { type: "object", properties: { a: { type: "array", uniqueItems: true } } },
    run: () => ({ output: { a: Array.from({ length: 60000 }, (_, i) => ({ i })) } }) };`,
  "functions/gathers.mjs": `export default { id: "dfunc_gathers", title: "T", timeout_ms: 20000, async run({ run }) {
    for (let round = 0; round < 12; round += 1) await Promise.all(Array.from({ length: 8 }, () => run("acme__large", {})));
    return { output: { ok: true } };
  } };`,
  "functions/random.mjs": `export default { id: "dfunc_random", title: "T", timeout_ms: 4000, run() {
    const bytes = new Uint8Array(65536);
    for (;;) crypto.getRandomValues(bytes);
  } };`,
};
