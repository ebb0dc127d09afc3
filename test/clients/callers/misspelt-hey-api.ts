import { runData, runFunction } from "./generated/index.js";

// refused: 'input' does not exist
void runData({ body: { config: {}, input: { phone: "1" } } });
// refused: 'credential' does not exist
void runData({ body: { config: { sources: { acme__phone: { credential: { api_key: "k" } } } } } });
// refused: Type '"production"' is not assignable
void runData({ body: { config: { context: "production" } } });
// refused: 'data_function' does not exist
void runFunction({ body: { config: { data_function: "dfunc_echo" } } });

const { data } = await runData({ body: { config: { sources: { acme__phone: true } } } });
// refused: Property 'sucess' does not exist
export const success = data?.status["acme__phone"]?.sucess;
// refused: Property 'retriable' does not exist
export const retryable = data?.status["acme__phone"]?.failure?.retriable;
