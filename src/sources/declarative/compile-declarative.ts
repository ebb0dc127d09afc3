import type { SourceDeclaration } from "../../sdk/source.ts";
import { compileDocument, type DeclarativeOptions } from "./compile-document.ts";
import { readDocument } from "./format/read-document.ts";

/** Compiles the text of a declarative source file; see `compileDocument`. @throws DeclarationError */
export function compileDeclarative(text: string, file: string, options?: DeclarativeOptions): SourceDeclaration {
  const { value, root } = readDocument(text, file);
  return compileDocument(value, root, options);
}
