import { isUtf8 } from "node:buffer";
import { canKeepNumbers } from "./exact-json.ts";
import { WASM } from "./json-object-check.wasm.ts";
import { JSON_VALUES_MAX, type JsonLimits } from "./json-scan.ts";

/** The part of it that is used here: types of Node do not declare it. */
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
  /** Only ever written to. Nothing is read from it but by `check`, which answers with one number. */
  readonly text: Uint8Array;
}

/** `null` if these bytes do not run here: the check needs vector instructions (SSE 4.1 or NEON). */
export function openCheck(wasm: Uint8Array): Check | null {
  if (!WebAssembly.validate(wasm)) return null;
  const exports = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports as Exports;
  return { exports, text: new Uint8Array(exports.memory.buffer, exports.TEXT.value) };
}

/** Without it, every document goes to the parser. */
const CHECK = openCheck(Buffer.from(WASM, "base64"));

/** A larger document is for others to look at. */
export const CHECKED_BYTES_MAX = CHECK?.exports.BYTES_MAX.value ?? 0;
const LEVELS_MAX = CHECK?.exports.LEVELS_MAX.value ?? 0;

/**
 * Whether `parseJson` would make an object of these bytes as they stand, seen without making it: several times quicker, and
 * without garbage. False also where that is not certain: of a byte order mark, of numbers that are huge or tiny, of what is
 * too large for this. Then `parseJson` is to be asked, and says what is wrong if anything is.
 */
export function isSurelyObject(bytes: Buffer, { depthMax, keysPerObjectMax, valuesMax }: JsonLimits): boolean {
  if (CHECK === null || bytes.length > CHECKED_BYTES_MAX || !isUtf8(bytes)) return false;
  CHECK.text.set(bytes);
  const depth = Math.min(depthMax, LEVELS_MAX);
  const longNumbers = CHECK.exports.check(bytes.length, depth, keysPerObjectMax, valuesMax ?? JSON_VALUES_MAX);
  return longNumbers >= 0 && canKeepNumbers(longNumbers, bytes);
}
