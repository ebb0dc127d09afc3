/// <reference types="node" preserve="true" />
/** What authors of sources, functions and config files import from "datarun". */
export { defineConfig, type DatarunConfig } from "./config.ts";
export {
  defineFunction,
  type FunctionAnswer,
  type FunctionCall,
  type FunctionCase,
  type FunctionDeclaration,
  type SourceOutcome,
} from "./data-function.ts";
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
