import { readFileSync } from "node:fs";
import { createPythonTypes, docString, pythonLiteral } from "../emit/python.ts";
import {
  CLIENT_MARK,
  type ClientFiles,
  type ClientParts,
  declareFunction,
  declareSource,
  listOf,
  resumeInputsOf,
} from "./client-files.ts";

/** A package for Python 3.9 or newer that uses the standard library only. `name` is that of its folder. */
export function pythonClient(parts: ClientParts, name: string): ClientFiles {
  const common = readFileSync(new URL("python/client.py", import.meta.url), "utf8");
  return new Map([
    ["__init__.py", moduleOf(parts)],
    ["client.py", `# ${CLIENT_MARK}\n${common}`],
    ["py.typed", ""],
    ["README.md", readmeOf(parts, name)],
  ]);
}

/** What the module of the common code offers to callers. */
const OFFERED =
  "Client Context DataAnswer DataRequest DatarunError Failed Failure Found Function FunctionAnswer FunctionCall FunctionFailed NotFound Question Source Succeeded resume retryable".split(
    " ",
  );

function moduleOf(parts: ClientParts): string {
  const { sources, functions } = parts;
  const types = createPythonTypes();
  const resumeInputs = resumeInputsOf(parts);
  const constants = [
    ...sources.map((source) => {
      const { id, title, limits } = source;
      // `NoReturn` has no value.
      const names = declareSource(types, source, "NoReturn");
      const resumeInput = resumeInputs[id] === undefined ? [] : [pythonLiteral(resumeInputs[id])];
      const values = [pythonLiteral(id), seconds(limits.timeout_ms), ...resumeInput].join(", ");
      return `${id}: Source[${names.join(", ")}] = Source(${values})\n${docString(title)}`;
    }),
    ...functions.map((declared) => {
      const { id, title, limits } = declared;
      const names = declareFunction(types, declared);
      const values = `${pythonLiteral(id)}, ${seconds(limits.timeout_ms)}`;
      return `${id}: Function[${names.join(", ")}] = Function(${values})\n${docString(title)}`;
    }),
  ];
  const typing = [...new Set([...types.imports(), "NoReturn"])].sort();
  const offered = [...OFFERED, ...[...sources, ...functions].map(({ id }) => id)];
  return `# ${CLIENT_MARK}
from __future__ import annotations

from typing import ${typing.join(", ")}

from .client import (
${OFFERED.map((name) => `    ${name},\n`).join("")})

__all__ = [
${offered.map((name) => `    ${pythonLiteral(name)},\n`).join("")}]


${types.text()}

${constants.join("\n")}`;
}

function seconds(ms: number): string {
  return String(ms / 1000);
}

function readmeOf(parts: ClientParts, name: string): string {
  const asked = parts.sources[0]?.id ?? "vendor__source";
  return `<!-- ${CLIENT_MARK} -->

# ${name}

A client of datarun for Python 3.9 or newer, with types. It uses the standard library only.

\`\`\`python
from ${name} import Client, Failed, Found, ${asked}

datarun = Client(url, token, workflow)
answer = datarun.data(${asked}({}))
result = answer[${asked}]
if isinstance(result, Failed):
    print(result.failure)
elif isinstance(result, Found):
    print(result.output)
\`\`\`

- Nothing is repeated by itself, because each run can be billed. \`retryable(answer)\` is the request for exactly the sources that may be repeated, \`resume(answer)\` are the requests that fetch the results of orders. \`datarun.send(request)\` sends them.
- Refusals and broken connections are raised as \`DatarunError\`. If no answer has arrived, the operator finds the run by its \`client_request_id\`.
${listOf(parts)}`;
}
