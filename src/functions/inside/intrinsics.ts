/**
 * What the prelude uses of the language, taken before any code of an author has run: an author who replaces
 * `JSON.stringify` or `String.prototype.slice` changes what his own code sees, and nothing here.
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
 * How many bytes a JSON text has in UTF-8; one that is too long is not counted through. Indexing asks no method that an
 * author could have replaced, and half of a surrogate pair, which would count otherwise, JSON does not leave as it is.
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

/** What a thrown value says, short, whatever it is: its getters may throw, and nothing of it leaves but this text. */
export function textOf(thrown: unknown, length: number): string {
  try {
    const text: unknown = typeof thrown === "object" && thrown !== null ? apply(toString, thrown, []) : toText(thrown);
    return typeof text === "string" ? cut(text, length) : "";
  } catch {
    return "an error whose text cannot be read";
  }
}
