import { shellWord } from "../../parts/shell-word.ts";

/** A run as a client would request it. */
export interface ClientRequest {
  readonly workflow: string;
  readonly path: "/data" | "/func";
  readonly body: object;
}

/** Renders the same request in several languages. Token and address are variables, so that no secret is shown. */
export const LANGUAGES = { curl: toCurl, TypeScript: toTypeScript, Python: toPython } as const;

function toCurl({ workflow, path, body }: ClientRequest): string {
  return [
    `curl -s "$DATARUN_URL${path}" \\`,
    `  -H "X-Service-Access-Token: $DATARUN_TOKEN" \\`,
    `  -H 'X-Service-Workflow: ${workflow}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellWord(JSON.stringify(body))}`,
  ].join("\n");
}

function toTypeScript({ workflow, path, body }: ClientRequest): string {
  return `const { DATARUN_URL = "", DATARUN_TOKEN = "" } = process.env;

const reply = await fetch(\`\${DATARUN_URL}${path}\`, {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "X-Service-Access-Token": DATARUN_TOKEN,
    "X-Service-Workflow": ${JSON.stringify(workflow)},
  },
  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), 2)}),
});
if (!reply.ok) throw new Error(\`\${reply.status} \${await reply.text()}\`);
console.log(await reply.json());`;
}

function toPython({ workflow, path, body }: ClientRequest): string {
  return `import os
import requests

reply = requests.post(
    os.environ["DATARUN_URL"] + "${path}",
    headers={
        "X-Service-Access-Token": os.environ["DATARUN_TOKEN"],
        "X-Service-Workflow": ${JSON.stringify(workflow)},
    },
    json=${indent(pythonOf(body), 4)},
    timeout=70,
)
reply.raise_for_status()
print(reply.json())`;
}

function indent(text: string, by: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(by)}`);
}

/** A JSON value as Python source. A JSON string is a valid Python string. */
function pythonOf(value: unknown, depth = 0): string {
  const inner = "    ".repeat(depth + 1);
  const outer = "    ".repeat(depth);
  const block = (open: string, parts: readonly string[], close: string) =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${outer}${close}`;
  if (Array.isArray(value))
    return block(
      "[",
      value.map((part) => pythonOf(part, depth + 1)),
      "]",
    );
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, part]) => `${JSON.stringify(name)}: ${pythonOf(part, depth + 1)}`,
    );
    return block("{", members, "}");
  }
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : JSON.stringify(value);
}
