import { runData, runFunction } from "./generated/index.js";
import type { SourceFailureKind } from "./generated/index.js";

// refused: 'input' does not exist
void runData({ body: { config: { sources: { acme__phone: true } }, input: { phone: "1" } } });
// refused: 'credential' does not exist
void runData({ body: { config: { sources: { acme__phone: { credential: { api_key: "k" } } } } } });
// refused: Type '"production"' is not assignable
void runData({ body: { config: { context: "production", sources: { acme__phone: true } } } });
// refused: 'data_function' does not exist
void runFunction({ body: { config: { data_function: "dfunc_echo" } } });

// refused: Property 'sources' is missing
void runData({ body: { config: {} } });

const { data } = await runData({ body: { config: { sources: { acme__phone: true } } } });
// refused: Property 'sucess' does not exist
export const success = data?.status["acme__phone"]?.sucess;
// refused: Property 'retriable' does not exist
export const retryable = data?.status["acme__phone"]?.failure?.retriable;
// refused: Type '"time_out"' is not assignable
export const late: SourceFailureKind = "time_out";
