import { isJsonObject, type JsonObject } from "../../terms/json/json.ts";
import { type Contract, hashOf } from "../bundled.ts";
import type { ContractCompilation } from "../inside/schema-compiler.ts";
import type { ContractPart } from "../inside/check-contract.ts";
import type { Pool } from "../pool/pool.ts";

export interface CompiledContract {
  /** `null` if there is no schema, or none that can be used. */
  readonly contract: Contract | null;
  readonly problems: readonly string[];
}

/** The scripts for contracts; each is bundled when it is first needed. */
export interface ContractTools {
  compiler(): Promise<string>;
  runtime(): Promise<string>;
}

const PARTS = ["inputs", "output"] as const;
const REASON_CHARACTERS = 300;

/**
 * Makes a contract from a function's declaration. The author writes the schema, so compiling it can take forever, and
 * its text becomes code. Compiler and checks therefore run in an isolate, and this process only stores the compiled
 * text.
 */
export async function compileContract(
  declarationJson: string,
  pool: Pool,
  tools: ContractTools,
): Promise<CompiledContract> {
  const declared = JSON.parse(declarationJson) as JsonObject;
  // A schema that is not an object is reported with the other problems of the declaration.
  const schemas = PARTS.filter((part) => isJsonObject(declared[part])).map((part) => [part, declared[part]!] as const);
  if (schemas.length === 0) return { contract: null, problems: [] };
  const argument = JSON.stringify({ inputs: Object.fromEntries(schemas) });
  const compiler = await tools.compiler();
  const answer = await pool.compile({ hash: hashOf(compiler), code: compiler }, argument);
  const compiled = JSON.parse(answer) as Partial<Record<ContractPart, ContractCompilation>>;
  const problems: string[] = [];
  const modules: string[] = [];
  for (const [part] of schemas) {
    const made = compiled[part];
    if (made === undefined || "problem" in made)
      problems.push(`"${part}" is not a JSON Schema that can be used: ${reasonOf(made?.problem)}`);
    else modules.push(`${part}: function (require, module) {\n${made.code}\n}`);
  }
  if (problems.length > 0) return { contract: null, problems };
  const code = `(function () {\n${await tools.runtime()}\nreturn __function.openContract({ ${modules.join(", ")} });\n})();`;
  const inputNames = compiled.inputs !== undefined && "names" in compiled.inputs ? compiled.inputs.names : [];
  return { contract: { code, inputs: "inputs" in compiled, output: "output" in compiled, inputNames }, problems };
}

function reasonOf(problem: string | undefined): string {
  return (problem ?? "it cannot be compiled").slice(0, REASON_CHARACTERS);
}
