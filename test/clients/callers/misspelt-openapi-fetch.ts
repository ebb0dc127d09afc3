import createClient from "openapi-fetch";
import type { components, paths } from "./datarun.d.ts";

// `openapi-fetch` infers the type of a body, and TypeScript looks for unknown names only where a type is stated.
type DataRequest = components["schemas"]["DataRequest"];
type FuncRequest = components["schemas"]["FuncRequest"];
const client = createClient<paths>({ baseUrl: "http://127.0.0.1" });

// refused: 'input' does not exist
export const inputs = { config: { sources: { acme__phone: true } }, input: { phone: "1" } } satisfies DataRequest;
// refused: 'source' does not exist
export const sources = { config: { source: { acme__phone: true } } } satisfies DataRequest;
// refused: 'credential' does not exist
export const entry = { config: { sources: { acme__phone: { credential: {} } } } } satisfies DataRequest;
// refused: 'data_function' does not exist
export const named = { config: { data_function: "dfunc_echo" } } satisfies FuncRequest;
// refused: Type 'false' is not assignable
export const asked = { config: { sources: { acme__phone: false } } } satisfies DataRequest;
// refused: Type '"production"' is not assignable
void client.POST("/data", { body: { config: { context: "production", sources: { acme__phone: true } } } });
// refused: Property 'config' is missing
void client.POST("/data", { body: { inputs: { phone: "1" } } });
// refused: Property 'sources' is missing
void client.POST("/data", { body: { config: {} } });

const { data, error } = await client.POST("/data", { body: { config: { sources: { acme__phone: true } } } });
// refused: Property 'sucess' does not exist
export const success = data?.status["acme__phone"]?.sucess;
// refused: Property 'retriable' does not exist
export const retryable = data?.status["acme__phone"]?.failure?.retriable;
// refused: Type 'unknown' is not assignable to type 'string'
export const phone: string = data?.outputs["acme__phone"]?.["e164"];
// refused: have no overlap
export const overloaded = error?.error.code === "overlaoded";
// refused: Type '"time_out"' is not assignable
export const late: components["schemas"]["SourceFailureKind"] = "time_out";
// refused: Type '"rised"' is not assignable
export const raised: components["schemas"]["FunctionFailureKind"] = "rised";
