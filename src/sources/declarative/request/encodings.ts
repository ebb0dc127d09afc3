import { TARGET_CHARACTERS_MAX } from "../../../terms/http/request-target.ts";
import { percentEncode } from "./percent-encode.ts";

/** How a text is encoded at one position of a request; `null` if it cannot be used there. */
export interface Encoding {
  readonly encode: (text: string) => string | null;
  /** The longest encoded value. Set for values in an address. */
  readonly charactersMax?: number;
  readonly problem: string;
}

/**
 * Encodings for values at each position of a request, so that a value stays one value: it cannot add a path segment,
 * parameter, header field, element or line.
 */

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
// oxlint-disable-next-line no-control-regex -- as above, line breaks and tabs being fine
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

export const inPathSegment: Encoding = {
  encode: (text) => (CONTROL.test(text) ? null : percentEncode(text)),
  charactersMax: TARGET_CHARACTERS_MAX,
  problem: "cannot be used in a path",
};

export const inQuery: Encoding = {
  encode: percentEncode,
  charactersMax: TARGET_CHARACTERS_MAX,
  problem: "is not valid Unicode text",
};

/** Header fields are ASCII on the wire; the vendor would receive other characters changed. */
export const inHeader: Encoding = {
  encode: (text) => (/^[\u0020-\u007e\t]*$/.test(text) ? text : null),
  problem: "cannot be used in a header",
};

export const inXml: Encoding = {
  encode: (text) => (CONTROL_BUT_LINES.test(text) || /[\ufffe\uffff]/.test(text) ? null : text),
  problem: "cannot be used in XML",
};

/** Text of unknown structure, including the text to sign: one value must not become several lines. */
export const inPlainText: Encoding = {
  encode: (text) => (CONTROL.test(text) ? null : text),
  problem: "has control characters or line breaks",
};

/** Leaves values unchanged: for a PEM file, or a password that is encoded afterwards. */
export const asItIs: Encoding = { encode: (text) => text, problem: "is not valid Unicode text" };

/** The JSON or XML writer escapes the value with the whole document. */
export const inDocument = asItIs;

/** A name within quotes of `multipart/form-data`, escaped as browsers do. */
export const inFileName: Encoding = {
  encode: (text) => (CONTROL.test(text) ? null : text.replaceAll('"', "%22")),
  problem: "cannot be used in a file name",
};

export const isBase64: Encoding = {
  encode: (text) => (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? text : null),
  problem: "is not Base64",
};
