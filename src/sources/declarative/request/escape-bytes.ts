/**
 * Creates an encoder that replaces some bytes of a text's UTF-8. A caller's text may have a megabyte of such bytes:
 * with a table this takes some milliseconds, with a function call per match hundreds.
 *
 * @param instead the replacement for a byte, in ASCII; `undefined`: the byte stays
 */
export function escapeBytes(instead: (byte: number) => string | undefined): (text: string) => string {
  const table = Array.from({ length: 256 }, (_, byte) => {
    const written = instead(byte);
    return written === undefined ? null : Buffer.from(written, "latin1");
  });
  const lengths = Uint8Array.from(table, (written) => written?.length ?? 1);

  return (text) => {
    const bytes = Buffer.from(text);
    const { length } = bytes;
    let escapedLength = 0;
    for (let from = 0; from < length; from += 1) escapedLength += lengths[bytes[from]!]!;
    if (escapedLength === length) return text;
    const escaped = Buffer.allocUnsafe(escapedLength);
    let to = 0;
    for (let from = 0; from < length; from += 1) {
      const written = table[bytes[from]!]!;
      if (written === null) escaped[to++] = bytes[from]!;
      else for (let index = 0; index < written.length; index += 1) escaped[to++] = written[index]!;
    }
    return escaped.toString();
  };
}
