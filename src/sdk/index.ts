/// <reference types="node" preserve="true" />
/** What authors of sources, functions and config files import from "datarun". */
export { defineConfig, type DatarunConfig } from "./config.ts";
export {
  defineFunction,
  type FunctionAnswer,
  type FunctionCall,
  type FunctionCase,
  type FunctionDeclaration,
} from "./data-function.ts";
// With its names, `Sources` could not be extended by `declare module "datarun"`.
export type * from "./known-sources.ts";
export type { Http, HttpOptions, Reply } from "./http.ts";
export { Type, type JsonSchema, type TypeOf } from "./schema.ts";
export {
  type DataFile,
  defineSource,
  NoMatch,
  type ScriptedReply,
  type SourceAnswer,
  type SourceCall,
  type SourceCase,
  type SourceDeclaration,
} from "./source.ts";
