import { createHmac } from "node:crypto";
import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { asItIs, inHeader, inPlainText } from "../request/encodings.ts";
import { Headers } from "../format/exchange-format.ts";
import { closed, template, text, words } from "../format/format-words.ts";
import { checkHeaderName, compileHeaders, renderHeaders, type RenderedRequest } from "../request/render-request.ts";
import { fill, parseTemplate, type Template, type TemplateValues } from "../request/template.ts";
import { authKind, fieldProblem, withHeaders, type AuthSetting, type AuthStep } from "./auth-kind.ts";

const Hmac = Type.Object(
  {
    kind: Type.Literal("hmac"),
    algorithm: words(["sha256", "sha512", "sha384", "sha1"], "The hash function."),
    key: template("The shared key."),
    key_encoding: Type.Optional(words(["utf8", "hex", "base64"], "How the key is encoded. `utf8` by default.")),
    canonical: Type.String({
      minLength: 1,
      description:
        "The text to sign. In addition to `inputs` and `credentials` it may contain `request.method`, `request.host`, `request.path`, `request.query`, `request.body`, `clock.unix`, `clock.unix_ms`, `clock.iso`, `clock.http` and `nonce`.",
    }),
    encoding: words(["hex", "base64", "base64url"], "How the signature is encoded."),
    header: text("The header field for the signature."),
    value: Type.Optional(template("The field's value. `{{ signature }}` by default.")),
    headers: Type.Optional(Headers),
  },
  {
    ...closed,
    description: "A signature over the request. `headers` are sent with it, for example for the time and the nonce.",
  },
);

export const hmac = authKind({ schema: Hmac, compile: (file, setting) => ({ step: compileHmac(file, setting) }) });

const OF_REQUEST = ["method", "host", "path", "query", "body"];
const OF_CLOCK = ["unix", "unix_ms", "iso", "http"];
/** Roots whose values this service provides. They are inserted into the signed text without encoding. */
const OURS = new Set(["request", "clock", "nonce"]);

/** Signs the request as it is sent. The signed text and the headers have the same time and nonce. */
function compileHmac(auth: Static<typeof Hmac>, setting: AuthSetting): AuthStep {
  const { known, place, clock, nonce } = setting;
  const beside = { ...known, clock: OF_CLOCK, nonce: null };
  const canonical = parseTemplate(auth.canonical, { ...beside, request: OF_REQUEST }, place.in("canonical"));
  const value = parseTemplate(auth.value ?? "{{ signature }}", { ...beside, signature: null }, place.in("value"));
  const key = parseTemplate(auth.key, known, place.in("key"));
  const fields = compileHeaders(auth.headers ?? {}, beside, place.in("headers"));
  const header = checkHeaderName(auth.header, place.in("header"));
  return {
    headerNames: [header, ...fields.map(([name]) => name)],
    queryNames: [],
    apply(request, values) {
      const now = { ...values, ...momentOf(clock.wall()), nonce: nonce() };
      const text = canonicalText(canonical, { ...now, request: partsOf(request) });
      const signature = createHmac(auth.algorithm, keyBytes(key, auth.key_encoding ?? "utf8", values))
        .update(text, "utf8")
        .digest(auth.encoding);
      const shown = fill(value, { ...now, signature }, inHeader);
      return withHeaders(request, {
        ...renderHeaders(fields, now),
        ...(shown === undefined ? {} : { [header]: shown }),
      });
    },
  };
}

function canonicalText(canonical: Template, values: TemplateValues): string {
  let text = "";
  for (const part of canonical) {
    if (typeof part === "string") text += part;
    else {
      const filled = fill([part], values, OURS.has(part.root) ? asItIs : inPlainText);
      if (filled === undefined) throw fieldProblem([part], "is needed for the signature");
      text += filled;
    }
  }
  return text;
}

function partsOf(request: RenderedRequest): Record<string, string> {
  const { method, host, path, query, body } = request;
  return { method, host, path, query, body: body ?? "" };
}

function momentOf(wallMs: number): { clock: Record<string, string> } {
  const date = new Date(wallMs);
  return {
    clock: {
      unix: String(Math.floor(wallMs / 1000)),
      unix_ms: String(wallMs),
      iso: date.toISOString(),
      http: date.toUTCString(),
    },
  };
}

function keyBytes(key: Template, encoding: "utf8" | "hex" | "base64", values: TemplateValues): Buffer {
  const text = fill(key, values, asItIs);
  if (text === undefined || text === "") throw fieldProblem(key, "is needed for the signature");
  const bytes = Buffer.from(text, encoding);
  // Node stops decoding at the first invalid character, and would sign with a part of the key.
  const whole = encoding === "utf8" || normalized(bytes.toString(encoding)) === normalized(text);
  if (!whole) throw fieldProblem(key, `is not encoded in ${encoding}`);
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
