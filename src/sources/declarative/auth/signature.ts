import { createHash, createHmac } from "node:crypto";
import type { Static, TProperties } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { Headers } from "../format/exchange-format.ts";
import { closed, template, text, words } from "../format/format-words.ts";
import { checkHeaderName, compileHeaders, renderHeaders, type RenderedRequest } from "../request/render-request.ts";
import { parseTemplate, namesIn, type KnownNames, type TemplateValues } from "../request/template.ts";
import { authKind, inOneHeader, withHeaders, type AuthSetting, type CompiledAuth } from "./auth-kind.ts";
import { compileDerived, compileKey, DERIVE, ENCODINGS, HASHES, KEY, keyBytes } from "./derived-keys.ts";
import { coveredBy, OF_REQUEST, partsOf, signedText } from "./signed-text.ts";

const OF_SIGNATURE = {
  derive: Type.Optional(DERIVE),
  canonical: Type.String({
    minLength: 1,
    description:
      "The text to sign: a template, also over `request.method`, `request.host`, `request.path`, `request.query`, `request.body`, `request.url` and `derived.<name>`. What contains `{{ signature }}` is not part of `request`.",
  }),
  encoding: words(ENCODINGS, "How the signature is encoded."),
  header: Type.Optional(
    text(
      "The header field for the signature. Without it, the request contains `{{ signature }}`: in its query, header fields or body.",
    ),
  ),
  value: Type.Optional(template("The field's value. `{{ signature }}` by default.")),
  headers: Type.Optional(Headers),
} satisfies TProperties;

const Hmac = Type.Object(
  {
    kind: Type.Literal("hmac"),
    algorithm: words(HASHES, "The hash function."),
    ...KEY,
    ...OF_SIGNATURE,
  },
  {
    ...closed,
    description:
      "A signature over the request, with a shared key. `headers` are sent with it, for example for the time and the nonce.",
  },
);

const Digest = Type.Object(
  {
    kind: Type.Literal("digest"),
    algorithm: words(HASHES, "The hash function."),
    ...OF_SIGNATURE,
  },
  {
    ...closed,
    description:
      "A plain hash of a text that contains a secret, such as `md5(time + key)`. For HTTP Digest authentication, see `http_digest`.",
  },
);

export const hmac = authKind({ schema: Hmac, compile: compileSignature });

export const digest = authKind({ schema: Digest, compile: compileSignature });

/** Signs the request as it is sent. */
function compileSignature(
  file: Static<typeof Digest> | Static<typeof Hmac>,
  { known, place }: AuthSetting,
): CompiledAuth {
  const ofRequest: KnownNames = { ...known, request: OF_REQUEST };
  const derived = compileDerived(file.derive ?? [], ofRequest, place.in("derive"));
  const names: KnownNames = { ...ofRequest, derived: derived.names };
  const canonical = parseTemplate(file.canonical, names, place.in("canonical"));
  const shown: KnownNames = { ...known, derived: derived.names, signature: null };
  const value = parseTemplate(file.value ?? "{{ signature }}", shown, place.in("value"));
  const fields = compileHeaders(file.headers ?? {}, shown, place.in("headers"));
  const field = file.header === undefined ? null : inOneHeader(checkHeaderName(file.header, place.in("header")), value);
  const key = file.kind === "digest" ? null : compileKey(file, names, derived.names, place);
  const isInFields = field !== null || namesIn(file.headers, place).has("signature");
  if (field === null && file.value !== undefined)
    place.in("value").refuseKey("format.value", '"value" belongs to a header field', "give its name as header");

  function sign(request: RenderedRequest, values: TemplateValues) {
    const parts = { ...values, request: partsOf(request) };
    const { texts, bytes } = derived.make(parts);
    const known = { ...parts, derived: texts };
    const hash = key === null ? createHash(file.algorithm) : createHmac(file.algorithm, keyBytes(key, known, bytes));
    return { ...known, signature: hash.update(signedText(canonical, known), "utf8").digest(file.encoding) };
  }

  const covers = coveredBy([file.canonical, file.derive, file.kind === "hmac" ? file.key : undefined], place);
  if (!isInFields) {
    if (fields.length > 0)
      place.in("headers").refuseKey("format.value", "header fields without the signature", "write them in the request");
    return { value: { name: "signature", covers, make: (request, values) => sign(request, values).signature } };
  }
  return {
    step: {
      headerNames: [...(field?.headerNames ?? []), ...fields.map(([name]) => name)],
      covers,
      apply(request, values) {
        const signed = sign(request, values);
        const ready = withHeaders(request, renderHeaders(fields, signed));
        return field === null ? ready : field.apply(ready, signed);
      },
    },
  };
}
