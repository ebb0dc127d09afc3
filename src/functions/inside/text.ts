/** UTF-8 by the Encoding Standard, for whole texts only: an isolate has no streams. */
export class TextEncoderUtf8 {
  readonly encoding = "utf-8";

  encode(given: unknown = ""): Uint8Array {
    const text = String(given).toWellFormed();
    const bytes = new Uint8Array(text.length * 3);
    let end = 0;
    for (const character of text) {
      const code = character.codePointAt(0)!;
      if (code < 0x80) bytes[end++] = code;
      else {
        const tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        bytes[end++] = (code >> (6 * tail)) | [0, 0xc0, 0xe0, 0xf0][tail]!;
        for (let left = tail - 1; left >= 0; left -= 1) bytes[end++] = 0x80 | ((code >> (6 * left)) & 0x3f);
      }
    }
    return bytes.slice(0, end);
  }
}

const NAMES = new Set(["utf-8", "utf8", "unicode-1-1-utf-8"]);

export class TextDecoderUtf8 {
  readonly encoding = "utf-8";
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;

  constructor(label: unknown = "utf-8", options: { readonly fatal?: boolean; readonly ignoreBOM?: boolean } = {}) {
    if (!NAMES.has(String(label).trim().toLowerCase()))
      throw new RangeError("TextDecoder: only utf-8 is supported here");
    this.fatal = options.fatal === true;
    this.ignoreBOM = options.ignoreBOM === true;
  }

  decode(given?: ArrayBuffer | ArrayBufferView): string {
    const bytes = bytesOf(given);
    let text = "";
    let at = 0;
    while (at < bytes.length) {
      const read = readOne(bytes, at);
      if (read.code === null && this.fatal) throw new TypeError("TextDecoder: the bytes are not utf-8");
      text += read.code === null ? "\ufffd" : String.fromCodePoint(read.code);
      at = read.next;
    }
    return !this.ignoreBOM && text.startsWith("\ufeff") ? text.slice(1) : text;
  }
}

function bytesOf(given: ArrayBuffer | ArrayBufferView | undefined): Uint8Array {
  if (given === undefined) return new Uint8Array(0);
  return ArrayBuffer.isView(given)
    ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    : new Uint8Array(given);
}

/** One code point, or `null` for a maximal ill-formed sequence, and the index of the next one. */
function readOne(bytes: Uint8Array, at: number): { readonly code: number | null; readonly next: number } {
  const first = bytes[at]!;
  if (first < 0x80) return { code: first, next: at + 1 };
  if (first < 0xc2 || first > 0xf4) return { code: null, next: at + 1 };
  const tail = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
  let code = first & (0x3f >> tail);
  for (let taken = 1; taken <= tail; taken += 1) {
    const byte = bytes[at + taken];
    const low = taken === 1 ? (first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80) : 0x80;
    const high = taken === 1 ? (first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf) : 0xbf;
    if (byte === undefined || byte < low || byte > high) return { code: null, next: at + taken };
    code = (code << 6) | (byte & 0x3f);
  }
  return { code, next: at + tail + 1 };
}
