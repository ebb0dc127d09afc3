import { createHash, createHmac } from "node:crypto";
import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { didYouMean } from "../../../terms/text/nearest.ts";
import { closed, template, text, words } from "../format/format-words.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { asItIs } from "../request/encodings.ts";
import { fill, parseTemplate, type KnownNames, type Template, type TemplateValues } from "../request/template.ts";
import { fieldProblem } from "./auth-kind.ts";
import { signedText } from "./signed-text.ts";

export const HASHES = ["sha256", "sha512", "sha384", "sha1", "md5"] as const;
/** How the bytes of a signature are written. */
export const ENCODINGS = ["hex", "base64", "base64url"] as const;

/** The key of a signature, and of a step towards it. */
export const KEY = {
  key: Type.Optional(template("The shared key.")),
  key_from: Type.Optional(text("The name under `derive` whose bytes are the key, in place of `key`.")),
  key_encoding: Type.Optional(
    words(["utf8", "hex", "base64", "base64url"], "How `key` is encoded. `utf8` by default."),
  ),
};

const Derivation = Type.Object(
  {
    name: Type.String({
      pattern: "^[a-z][a-z0-9_]*$",
      description: "The name by which later steps, the text to sign and the header field read it: `derived.<name>`.",
    }),
    text: text("The text: a template like `canonical`, also over the steps before this one."),
    algorithm: Type.Optional(words(HASHES, "The hash function. `sha256` by default.")),
    ...KEY,
    encoding: Type.Optional(words(ENCODINGS, "How `{{ derived.<name> }}` is encoded. `hex` by default.")),
  },
  closed,
);

export const DERIVE = Type.Array(Derivation, {
  minItems: 1,
  maxItems: 12,
  description:
    "Steps before the signature, in order. Each is an HMAC of a text with `key` or `key_from`, or without a key its hash.",
});

export type KeyFile = { readonly [Name in keyof typeof KEY]?: Static<(typeof KEY)[Name]> };

/** A compiled key: a template, or the name of a step whose bytes are the key. */
export type Key = { readonly template: Template; readonly encoding: BufferEncoding } | { readonly from: string };

/** The results of the steps: their bytes, and their encoded texts. */
export interface DerivedKeys {
  readonly bytes: Readonly<Record<string, Buffer>>;
  readonly texts: Readonly<Record<string, string>>;
}

export interface Derivations {
  readonly names: readonly string[];
  /** @throws Fault that names the credential field that cannot be used */
  make(values: TemplateValues): DerivedKeys;
}

/** @throws DeclarationError */
export function compileDerived(
  files: readonly Static<typeof Derivation>[],
  known: KnownNames,
  place: DocumentLocation,
): Derivations {
  const names: string[] = [];
  const steps = files.map((file, at) => {
    const here = place.in(at);
    const available = { ...known, derived: [...names] };
    if (names.includes(file.name)) here.in("name").refuse("request.duplicate", `there are two steps "${file.name}"`);
    const step = {
      ...file,
      template: parseTemplate(file.text, available, here.in("text")),
      secret: file.key === undefined && file.key_from === undefined ? null : compileKey(file, available, names, here),
    };
    names.push(file.name);
    return step;
  });
  return {
    names,
    make(values) {
      const bytes: Record<string, Buffer> = {};
      const texts: Record<string, string> = {};
      for (const { name, template, algorithm = "sha256", secret, encoding = "hex" } of steps) {
        const here = { ...values, derived: texts };
        const hash = secret === null ? createHash(algorithm) : createHmac(algorithm, keyBytes(secret, here, bytes));
        bytes[name] = hash.update(signedText(template, here), "utf8").digest();
        texts[name] = bytes[name].toString(encoding);
      }
      return { bytes, texts };
    },
  };
}

/** @throws DeclarationError */
export function compileKey(
  { key, key_from: from, key_encoding: encoding }: KeyFile,
  known: KnownNames,
  derived: readonly string[],
  place: DocumentLocation,
): Key {
  if ((key === undefined) === (from === undefined)) {
    return place.refuse("format.value", "a signature has one key", "give one of key and key_from");
  }
  if (from === undefined) {
    return { template: parseTemplate(key!, known, place.in("key")), encoding: encoding ?? "utf8" };
  }
  if (encoding !== undefined)
    place.in("key_encoding").refuseKey("format.value", "the bytes of a step have no encoding", "leave it out");
  if (!derived.includes(from)) {
    const hint =
      didYouMean(from, derived) ?? (derived.length === 0 ? "add it to derive" : `steps are ${derived.join(", ")}`);
    place.in("key_from").refuse("template.unknown_name", `there is no step "${from}" before this`, hint);
  }
  return { from };
}

/** @throws Fault that names the credential field that cannot be used */
export function keyBytes(key: Key, values: TemplateValues, derived: DerivedKeys["bytes"]): Buffer {
  if ("from" in key) return derived[key.from]!;
  const { template, encoding } = key;
  const written = fill(template, values, asItIs);
  if (written === undefined || written === "") throw fieldProblem(template, "is needed for the signature");
  const bytes = Buffer.from(written, encoding);
  // Node stops decoding at the first invalid character, and would sign with a part of the key.
  const isWhole = encoding === "utf8" || normalized(bytes.toString(encoding)) === normalized(written);
  if (!isWhole) throw fieldProblem(template, `is not encoded in ${encoding}`);
  return bytes;
}

/**
 * Removes padding and white space at the end. A regular expression anchored at the end would be tried at each of these
 * characters.
 */
function normalized(text: string): string {
  let end = text.length;
  while (end > 0 && /[=\s]/.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end).toLowerCase();
}
