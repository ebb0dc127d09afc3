import { OperatorError } from "../../terms/operator-error.ts";

/**
 * The text of an invoice: UTF-8, or UTF-16 with a byte order mark, as Excel writes its "Unicode text". Another encoding
 * is refused, because a number with an umlaut in it would differ from ours without a visible reason.
 * @throws OperatorError
 */
export function decodeInvoice(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"; // prettier-ignore
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    const name = encoding === "utf-8" ? "UTF-8" : "UTF-16";
    throw new OperatorError("invalid", `The invoice is not ${name} text. Save it as CSV in UTF-8.`, { cause });
  }
}
