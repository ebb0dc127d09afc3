/**
 * What the engine needs from the rest of the service. Each interface is as small as the need; `composition` provides
 * the implementations.
 */
export type * from "./ports/calls.ts";
export type * from "./ports/credentials.ts";
export type * from "./ports/functions.ts";
export type * from "./ports/ledger.ts";
export type * from "./ports/sources.ts";
