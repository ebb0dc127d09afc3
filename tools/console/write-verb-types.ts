import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Role } from "../../src/admin/ports.ts";
import { ROLES } from "../../src/admin/roles.ts";

const GENERATOR = fileURLToPath(
  new URL("../../client-generators/node_modules/.bin/openapi-typescript", import.meta.url),
);

/** As far as it is read here. */
interface AdminDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

interface Operation {
  readonly operationId: string;
  readonly "x-role"?: Role;
  readonly "x-changes"?: boolean;
}

/**
 * The types of every verb's input and result, for the console's one client. They come from the published contract, so a
 * page that uses a field that was renamed does not compile.
 */
export function verbTypes(document: object): string {
  const { openapi, paths, components } = document as AdminDocument;
  const verbs = Object.entries(paths).flatMap(([path, { post }]) =>
    post?.["x-role"] === undefined
      ? []
      : [{ name: path.slice("/api/".length).replaceAll("/", " "), title: capital(post.operationId), ...post }],
  );
  const titles = new Set([
    "LiveEvent",
    "EndedCall",
    ...verbs.flatMap(({ title }) => [`${title}Input`, `${title}Result`]),
  ]);
  // Other verbs answer with a text.
  const resultOf = (title: string) => (`${title}Result` in components.schemas ? `Schemas["${title}Result"]` : "string");
  const schemas = Object.fromEntries(Object.entries(components.schemas).filter(([name]) => titles.has(name)));
  const lines = (value: (verb: (typeof verbs)[number]) => string) =>
    verbs.map((verb) => `  "${verb.name}": ${value(verb)};`).join("\n");
  const values = (value: (verb: (typeof verbs)[number]) => string) =>
    verbs.map((verb) => `  "${verb.name}": ${value(verb)},`).join("\n");
  return `// Written by tools/console/write-verb-types.ts from openapi-admin.json. Do not change it: npm run openapi

${generate({ openapi, info: { title: "verbs", version: "1" }, paths: {}, components: { schemas } })}
type Schemas = components["schemas"];

/** What the stream of \`GET /api/live\` tells. */
export type LiveEvent = Schemas["LiveEvent"];

/** What is told of a run that is under way: how a call of it ended. */
export type EndedCall = Schemas["EndedCall"];

export interface Verbs {
${lines(({ title }) => `{ input: Schemas["${title}Input"]; result: ${resultOf(title)} }`)}
}

export const ROLES = [${ROLES.map((role) => JSON.stringify(role)).join(", ")}] as const;
export type Role = (typeof ROLES)[number];

/** The least role that may use a verb. */
export const ROLE_OF: Readonly<Record<keyof Verbs, Role>> = {
${values((verb) => JSON.stringify(verb["x-role"]))}
};

/** Whether a verb changes anything. */
export const CHANGES: Readonly<Record<keyof Verbs, boolean>> = {
${values((verb) => JSON.stringify(verb["x-changes"]))}
};
`;
}

/** Its interfaces without what is empty in a document of schemas only. */
function generate(document: object): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-types-"));
  try {
    const [from, to] = [join(folder, "in.json"), join(folder, "out.ts")];
    writeFileSync(from, JSON.stringify(document));
    execFileSync(GENERATOR, [from, "-o", to, "--default-non-nullable", "false", "--empty-objects-unknown"], {
      stdio: ["ignore", "ignore", 2],
    });
    const text = readFileSync(to, "utf8");
    const [interfaces = ""] = /^export interface components \{[\s\S]*?^\}$/m.exec(text) ?? [];
    return interfaces.replace(/^ {4}(responses|parameters|requestBodies|headers|pathItems): never;\n/gm, "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
