import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
export const DATARUN = fileURLToPath(new URL("../bin/datarun.mjs", import.meta.url));

export interface Access {
  readonly organization: string;
  readonly token: string;
  readonly workflow: string;
}

/** Makes a token and a workflow in a data directory, as an operator would. */
export async function createAccess(dataDir: string): Promise<Access> {
  const { organization_tuid: organization } = await verb(dataDir, "org", "create", "Bench");
  const { access_token: token } = await verb(dataDir, "token", "create", "--org", organization!);
  const { workflow } = await verb(dataDir, "workflow", "create", "--org", organization!);
  return { organization: organization!, token: token!, workflow: workflow! };
}

/** Sets a budget in a data directory, so high that it is never used up. */
export async function setBudget(dataDir: string, organization: string): Promise<void> {
  const limit = ["--per", "month", "--amount", "1000000000", "--currency", "EUR"];
  await verb(dataDir, "budget", "set", "--org", organization, ...limit);
}

async function verb(dataDir: string, ...words: string[]): Promise<Record<string, string>> {
  const { stdout } = await run(process.execPath, [DATARUN, ...words, "--data-dir", dataDir, "--json"]);
  return JSON.parse(stdout) as Record<string, string>;
}

export function sourceId(index: number): string {
  return `bench__vendor_${index + 1}`;
}

interface SourceKind {
  /** It makes a new object of the reply. */
  readonly mapped: boolean;
  /** It declares every kind of limit, so high that no call waits. */
  readonly limited: boolean;
}

/** Writes a project folder with a source for every vendor: odd ones GET, even ones POST. */
export async function writeProject(folder: string, origins: readonly string[], kind: SourceKind): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "sources"), { recursive: true });
  await Promise.all(
    origins.map((origin, index) =>
      writeFile(join(folder, "sources", `${sourceId(index)}.ts`), source(origin, index, kind)),
    ),
  );
}

const LIMITS = `
  limits: {
    concurrency: 4096,
    rate: [
      { per: "source", max: 1_000_000, every_ms: 1_000 },
      { per: "credential", max: 1_000_000, every_ms: 1_000 },
      { per: "source", max: 1_000_000_000, every_ms: 86_400_000 },
    ],
  },`;

function source(origin: string, index: number, { mapped, limited }: SourceKind): string {
  const ask =
    index % 2 === 0
      ? `http.get("${origin}/person", { query: inputs })`
      : `http.post("${origin}/person", { json: inputs })`;
  const body = mapped
    ? `const reply = await ${ask};
    const { id, name, found, entries } = reply.json();
    return { person: { id, name, found }, entries };`
    : `return ${ask};`;
  return `import { defineSource } from "datarun";

export default defineSource({
  id: "${sourceId(index)}",
  title: "Vendor ${index + 1} of a benchmark",
  inputs: {
    type: "object",
    properties: { email: { type: "string" }, phone: { type: "string" } },
    required: ["email"],
  },
  origins: ["${origin}"],
  charge: { model: "per_call", amount: 0.35, currency: "EUR" },${limited ? LIMITS : ""}
  async run({ inputs, http }) {
    ${body}
  },
});
`;
}
