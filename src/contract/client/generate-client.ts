import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FunctionFailureKind, SourceFailureKind } from "../../http/failure-schema.ts";
import type { ContractFunction, ContractSource } from "../ports.ts";
import { CLIENT_MARK, type ClientFiles, type ClientParts } from "./client-files.ts";
import { pythonClient } from "./python-client.ts";
import { typeScriptClient } from "./typescript-client.ts";

export type ClientLanguage = "ts" | "python";

interface Language {
  readonly write: (parts: ClientParts, name: string) => ClientFiles;
  /** The file by which a generated folder is recognized. */
  readonly entry: string;
}

const LANGUAGES: Readonly<Record<ClientLanguage, Language>> = {
  ts: { write: typeScriptClient, entry: "index.js" },
  python: { write: pythonClient, entry: "__init__.py" },
};

/** The files of a client. `name` is that of its folder. */
export function generateClient(
  language: ClientLanguage,
  parts: { readonly sources: readonly ContractSource[]; readonly functions: readonly ContractFunction[] },
  name: string,
): ClientFiles {
  const kinds = (schema: object) => (schema as { readonly enum: readonly string[] }).enum;
  return LANGUAGES[language].write(
    { ...parts, sourceKinds: kinds(SourceFailureKind), functionKinds: kinds(FunctionFailureKind) },
    name,
  );
}

/** Whether the folder was written as a client in this language. */
export function isGenerated(folder: string, language: ClientLanguage): boolean {
  const entry = join(folder, LANGUAGES[language].entry);
  return existsSync(entry) && readFileSync(entry, "utf8").split("\n", 1)[0]!.endsWith(CLIENT_MARK);
}
