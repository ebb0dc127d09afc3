import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import type { ClientTls } from "../../../sdk/http.ts";
import { asItIs } from "../request/encodings.ts";
import { closed, text } from "../format/format-words.ts";
import { fill, parseTemplate, type Template, type TemplateValues } from "../request/template.ts";
import { authKind, fieldProblem, type AuthSetting } from "./auth-kind.ts";

const MutualTls = Type.Object(
  {
    kind: Type.Literal("mtls"),
    cert: text(
      "The client certificate, and its chain after it, PEM: one template. Line breaks that became `\\n` or spaces are restored.",
    ),
    key: text("Its private key, PEM without a passphrase: one template."),
    ca: Type.Optional(text("The vendor's own certificate authority, PEM: one template.")),
  },
  { ...closed, description: "A client certificate." },
);

export const mutualTls = authKind({
  schema: MutualTls,
  once: "a request has one client certificate",
  compile: (file, setting) => ({ tls: compileMutualTls(file, setting) }),
});

/** Returns the client certificate for requests. */
function compileMutualTls(
  auth: Static<typeof MutualTls>,
  { known, place, origins }: AuthSetting,
): (values: TemplateValues) => ClientTls {
  if (origins.some((origin) => !origin.startsWith("https:")))
    place.refuse("url.origin", "a client certificate is sent over https only", "declare https origins only");
  const cert = parseTemplate(auth.cert, known, place.in("cert"));
  const key = parseTemplate(auth.key, known, place.in("key"));
  const ca = auth.ca === undefined ? undefined : parseTemplate(auth.ca, known, place.in("ca"));
  return (values) => ({
    cert: pem(cert, values),
    key: pem(key, values),
    ca: ca === undefined ? undefined : fill(ca, values, asItIs),
  });
}

function pem(template: Template, values: TemplateValues): string {
  const text = fill(template, values, asItIs);
  if (text === undefined || !/-----BEGIN [A-Z0-9 ]+-----/.test(text)) throw fieldProblem(template, "is not PEM");
  return text;
}
