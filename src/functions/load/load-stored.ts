import { Fault } from "../../terms/fault.ts";
import { LoadError } from "../../terms/load-error.ts";
import { type Bundle, hashOf } from "../bundled.ts";
import type { Pool } from "../pool/pool.ts";
import { compileContract } from "./compile-contract.ts";
import { checkDeclaration, type FunctionFacts } from "./declaration.ts";
import { readDeclaration, reasonOf, withContract, type LoadTools } from "./load-function.ts";

/** The content of a version, as `functionContent` makes it. */
interface StoredContent {
  readonly code: string;
  readonly declaration: string;
}

/**
 * Prepares a version of a function from its stored content, whose digest has been verified. An isolate evaluates the code,
 * which must have the stored declaration; the contract is compiled by this release. All imports are in the code, so nothing
 * else is read.
 * @param name the version in messages
 * @throws LoadError if the version cannot be used; any other error if it cannot be evaluated now
 */
export async function loadStoredFunction(
  name: string,
  content: string,
  pool: Pool,
  tools: LoadTools,
): Promise<{ readonly facts: FunctionFacts; readonly bundle: Bundle }> {
  const { code, declaration } = JSON.parse(content) as StoredContent;
  const bundle = { hash: hashOf(code), code };
  try {
    const usesType = code.includes("__datarunType");
    const described = usesType ? `${await tools.typeCode()}\n${code}` : code;
    if ((await readDeclaration({ hash: hashOf(described), code: described }, pool)) !== declaration)
      throw new LoadError(name, "this release reads another declaration from its code");
    // The schemas are read with the real `Type`, which its runs do not need.
    if (usesType) await pool.check(bundle);
    const { contract, problems } = await compileContract(declaration, pool, tools.contract);
    const facts = checkDeclaration(name, declaration, problems);
    return { facts, bundle: withContract(bundle, contract) };
  } catch (thrown) {
    throw refusalOf(name, thrown);
  }
}

/** A process that cannot be started now is no reason against the version. */
function refusalOf(name: string, thrown: unknown): unknown {
  if (thrown instanceof LoadError || !(thrown instanceof Fault) || thrown.row.retryable) return thrown;
  return new LoadError(name, `it cannot be evaluated: ${reasonOf(thrown)}`, thrown);
}
