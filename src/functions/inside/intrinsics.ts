/**
 * The built-in functions that the prelude uses, saved before any author's code has run. An author who replaces
 * `JSON.stringify` or `String.prototype.slice` changes them only for the author's own code.
 */
export const { apply } = Reflect;
export const { isArray } = Array;
export const { parse, stringify } = JSON;
export const { now } = Date;
export const { max, min } = Math;
export const NativePromise = Promise;
export const toText = String;

// oxlint-disable-next-line typescript/unbound-method -- called by `apply` only
const { slice } = String.prototype;
// oxlint-disable-next-line typescript/unbound-method -- called by `apply` only
const { toString } = Error.prototype;

/** The first characters of a text. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : apply(slice, text, [0, length]);
}

/**
 * The number of UTF-8 bytes of a JSON text; for more than `bytesMax` characters, the number of characters. Indexing
 * calls no method that an author could have replaced. Lone surrogates, which would be counted wrongly, do not occur,
 * because JSON escapes them.
 */
export function jsonBytes(json: string, bytesMax: number): number {
  let bytes = json.length;
  if (bytes > bytesMax) return bytes;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json[at]!;
    if (unit >= "\x80") bytes += unit < "\u0800" || (unit >= "\ud800" && unit <= "\udfff") ? 1 : 2;
  }
  return bytes;
}

/** A short text for any thrown value. The value's getters may throw, and nothing of it is used but this text. */
export function textOf(thrown: unknown, length: number): string {
  try {
    const text: unknown = typeof thrown === "object" && thrown !== null ? apply(toString, thrown, []) : toText(thrown);
    return typeof text === "string" ? cut(text, length) : "";
  } catch {
    return "an error whose text cannot be read";
  }
}
