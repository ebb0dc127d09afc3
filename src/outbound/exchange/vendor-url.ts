/**
 * Reads the address an author asks for. Authors build addresses from inputs, so whatever the URL parser would quietly
 * turn into another place is refused here instead: user names, dot segments, backslashes, fragments, control characters.
 * @throws Error whose message holds nothing of the address
 */
export function readVendorUrl(text: unknown): URL {
  if (typeof text !== "string") throw new Error("the address is no string");
  if (text.length > ADDRESS_CHARACTERS_MAX) throw new Error("the address is too long");
  const parts = PARTS.exec(text);
  const url = URL.parse(text);
  if (parts === null || url === null) throw new Error("the address is not an absolute http or https URL");
  if (REWRITTEN.test(text)) throw new Error("the address holds a character that has to be encoded");
  if (parts[1]!.includes("@")) throw new Error("the address holds a user name");
  if (DOT_SEGMENT.test(parts[2]!)) throw new Error("the path of the address holds a dot segment");
  return url;
}

const ADDRESS_CHARACTERS_MAX = 16 * 1024;
/** Authority and path, as they stand before the URL parser touches them. */
const PARTS = /^https?:\/\/([^/?#\\]+)([^?#]*)/i;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const REWRITTEN = /[\u0000-\u001f\u007f\\#]|^ | $/;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=\/|$)/i;
