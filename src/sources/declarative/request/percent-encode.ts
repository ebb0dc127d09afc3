import { escapeBytes } from "./escape-bytes.ts";

/** Leaves the unreserved characters of RFC 3986, so no URL parser changes the result. */
export const percentEncode = escapeBytes((byte) =>
  /[A-Za-z0-9\-._~]/.test(String.fromCharCode(byte))
    ? undefined
    : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
);

/** The order of OAuth 1 and of AWS: by the bytes of the encoded names, then by those of the values. */
export function sortParameters(text: string): string {
  const parameters = text.split("&").map((parameter) => [parameter.split("=", 1)[0]!, parameter] as const);
  const sorted = parameters.toSorted(([a, wholeA], [b, wholeB]) => compare(a, b) || compare(wholeA, wholeB));
  return sorted.map(([, parameter]) => parameter).join("&");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
