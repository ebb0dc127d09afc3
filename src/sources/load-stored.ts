import type { RunnableSource } from "../run/ports.ts";
import { isJsonObject, type Json } from "../terms/json/json.ts";
import { LoadError } from "../terms/load-error.ts";
import type { Schemas } from "../terms/schema/author-schemas.ts";
import { digestOf, type VersionTexts } from "../terms/version.ts";
import { declarationProblem } from "./check-declaration.ts";
import { compileDocument } from "./declarative/compile-document.ts";
import { documentContent } from "./load-source.ts";
import { toRunnable } from "./runnable.ts";

/** Code from a store would run in the process of the service, with everything that the service can reach. */
const CODE_IS_NOT_LOADED = "it is written in TypeScript, and code from the store is not run outside an isolate";

/** Whether the content of a version is code: that of a source in TypeScript. */
export function isCode(content: string): boolean {
  const read = JSON.parse(content) as Json;
  return isJsonObject(read) && read["id"] === undefined && isJsonObject(read["files"]);
}

/**
 * Prepares a version of a declarative source from its stored texts, by the checks of a file. The digest of its content has
 * been verified.
 * @param name the version in messages
 * @throws LoadError
 */
export async function loadStoredSource(
  name: string,
  digest: string,
  { content, source }: VersionTexts,
  schemas: Schemas,
): Promise<RunnableSource> {
  if (isCode(content)) throw new LoadError(name, CODE_IS_NOT_LOADED);
  const { readDocument } = await import("./declarative/format/read-document.ts");
  try {
    // JSON is YAML. The texts have the cases too, by which a simulated workflow answers.
    const file = Object.values(source).find((text) => hasContent(text, digest, readDocument));
    const { value, root } = readDocument(file ?? content, name);
    const declaration = compileDocument(value, root);
    const problem = declarationProblem(declaration);
    if (problem !== null) throw new LoadError(name, problem);
    return toRunnable(declaration, schemas, "now", digest);
  } catch (error) {
    if (error instanceof LoadError) throw error;
    const { message } = error as Error;
    throw new LoadError(name, message.startsWith(`${name}:`) ? message.slice(name.length + 1) : message, error);
  }
}

type ReadDocument = (text: string, file: string) => { readonly value: Json };

/** Whether a text is the version's, which its digest proves. */
function hasContent(text: string, digest: string, read: ReadDocument): boolean {
  try {
    return digestOf(documentContent(read(text, "").value)) === digest;
  } catch {
    return false;
  }
}
