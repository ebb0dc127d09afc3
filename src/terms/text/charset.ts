import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";

/** Thrown for bytes that are not text in their declared charset. The message contains nothing of them. */
export class CharsetError extends Error {}

/**
 * Converts a body to UTF-8. Bytes that are valid UTF-8 are returned unchanged, whatever they declare, because text in
 * another charset is hardly ever valid UTF-8. Other bytes are decoded with the charset of the header field
 * `Content-Type` or, without one, of an XML declaration. Labels have the meaning of the Encoding Standard: ISO-8859-1
 * is windows-1252. UTF-16 is recognised by its first bytes. Bytes that are not UTF-8 and declare no other charset are
 * also returned unchanged. @throws CharsetError
 */
export function toUtf8(bytes: Buffer, contentType = ""): Buffer {
  const utf16 = utf16Of(bytes);
  if (utf16 !== null) return transcode(bytes, new TextDecoder(utf16, { fatal: true }));
  const labels = declaredLabels(bytes, contentType).filter((label) => !UTF_8.test(label));
  if (labels.length === 0) return bytes;
  const decoders = labels.map(decoderOf);
  const decoder = decoders.find((known) => known !== null);
  // The only charset in use in which ASCII bytes can have another meaning.
  const isDisguised = decoder?.encoding === "iso-2022-jp" && bytes.includes(ESCAPE);
  if (!isDisguised && isUtf8(bytes)) return bytes;
  if (decoder === undefined) throw new CharsetError("it has an encoding that is not supported");
  return transcode(bytes, decoder!);
}

const UTF_8 = /^utf-?8$/i;
const ESCAPE = 0x1b;

/** JSON and XML begin with an ASCII character, so one of their first two bytes is 0 only in UTF-16. */
function utf16Of(bytes: Buffer): "utf-16le" | "utf-16be" | null {
  if (bytes.length < 2) return null;
  const [first, second] = [bytes[0]!, bytes[1]!];
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if ((first === 0) === (second === 0)) return null;
  return first === 0 ? "utf-16be" : "utf-16le";
}

/** The labels in order of precedence: the header field comes first (RFC 7303). */
function declaredLabels(bytes: Buffer, contentType: string): readonly string[] {
  const charset = /;\s*charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1];
  const start = bytes[0] === LESS_THAN ? bytes.toString("latin1", 0, 200) : "";
  const declared = /^<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']/.exec(start)?.[1];
  return [charset, declared].filter((label) => label !== undefined);
}

const LESS_THAN = 0x3c;

function decoderOf(label: string): TextDecoder | null {
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    // UTF-16 has already been recognised by its bytes, so text that declares it here is not UTF-16.
    return decoder.encoding.startsWith("utf-") ? null : decoder;
  } catch {
    return null;
  }
}

function transcode(bytes: Buffer, decoder: TextDecoder): Buffer {
  try {
    return Buffer.from(decoder.decode(bytes), "utf8");
  } catch {
    throw new CharsetError(`it is not valid ${decoder.encoding}`);
  }
}
