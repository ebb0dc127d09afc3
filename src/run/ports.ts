/**
 * The interfaces of the engine to the rest of the service. Each is as small as the need; `composition` provides the
 * implementations.
 */
export type * from "./ports/calls.ts";
export type * from "./ports/credentials.ts";
export type * from "./ports/functions.ts";
export type * from "./ports/ledger.ts";
export type * from "./ports/shadows.ts";
export type * from "./ports/sources.ts";
export type * from "./ports/versions.ts";
