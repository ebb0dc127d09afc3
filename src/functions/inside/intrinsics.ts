/**
 * The parts of the language that the prelude uses, saved before any author's code has run. An author who replaces
 * `JSON.stringify` or `String.prototype.slice` changes them for the author's own code only.
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
 * The number of bytes of a JSON text in UTF-8; one with more than `bytesMax` characters is not counted. Indexing calls
 * no method that an author could have replaced. Half of a surrogate pair, which would be counted wrongly, does not
 * occur, because JSON escapes it.
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

/** A short text of a thrown value, whatever it is: its getters may throw, and nothing but this text is used. */
export function textOf(thrown: unknown, length: number): string {
  try {
    const text: unknown = typeof thrown === "object" && thrown !== null ? apply(toString, thrown, []) : toText(thrown);
    return typeof text === "string" ? cut(text, length) : "";
  } catch {
    return "an error whose text cannot be read";
  }
}
