import { isUtf8 } from "node:buffer";
import { canKeepNumbers } from "./exact-json.ts";
import { WASM } from "./json-object-check.wasm.ts";
import { JSON_VALUES_MAX, type JsonLimits } from "./json-scan.ts";

/** The used part of `WebAssembly`, which Node's types do not declare. */
declare const WebAssembly: {
  validate(bytes: Uint8Array): boolean;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

interface Constant {
  readonly value: number;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly TEXT: Constant;
  readonly BYTES_MAX: Constant;
  readonly LEVELS_MAX: Constant;
  check(length: number, depthMax: number, keysMax: number, valuesMax: number): number;
}

interface Check {
  readonly exports: Exports;
  /** Write-only: only `check` reads it, and returns nothing but a number. */
  readonly text: Uint8Array;
}

/** `null` if this machine cannot run the module, which needs vector instructions (SSE 4.1 or NEON). */
export function openCheck(wasm: Uint8Array): Check | null {
  if (!WebAssembly.validate(wasm)) return null;
  const exports = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports as Exports;
  return { exports, text: new Uint8Array(exports.memory.buffer, exports.TEXT.value) };
}

/** `null`: every document is parsed. */
const CHECK = openCheck(Buffer.from(WASM, "base64"));

/** Larger documents are not checked. */
export const CHECKED_BYTES_MAX = CHECK?.exports.BYTES_MAX.value ?? 0;
const LEVELS_MAX = CHECK?.exports.LEVELS_MAX.value ?? 0;

/**
 * Whether `parseJson` would return an object for these bytes, decided without parsing: several times faster, and
 * without garbage. False also if that is not certain: with a byte order mark, with very large or very small numbers, or
 * if the document is too large to check. Then `parseJson` decides, and reports any problem.
 */
export function isSurelyObject(bytes: Buffer, { depthMax, keysPerObjectMax, valuesMax }: JsonLimits): boolean {
  if (CHECK === null || bytes.length > CHECKED_BYTES_MAX || !isUtf8(bytes)) return false;
  CHECK.text.set(bytes);
  const depth = Math.min(depthMax, LEVELS_MAX);
  const longNumbers = CHECK.exports.check(bytes.length, depth, keysPerObjectMax, valuesMax ?? JSON_VALUES_MAX);
  return longNumbers >= 0 && canKeepNumbers(longNumbers, bytes);
}
