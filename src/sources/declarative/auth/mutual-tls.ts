import type { ClientTls } from "../../../sdk/http.ts";
import { asItIs } from "../request/encodings.ts";
import type { MutualTlsFile } from "../format/format.ts";
import { fill, parseTemplate, type Template, type Values } from "../request/template.ts";
import type { AuthSetting } from "./auth-step.ts";
import { fieldProblem } from "./static-auth.ts";

/** The client certificate that requests are made with. @throws DeclarationError */
export function compileMutualTls(
  auth: MutualTlsFile,
  { known, place, origins }: AuthSetting,
): (values: Values) => ClientTls {
  if (origins.some((origin) => !origin.startsWith("https:")))
    place.refuse("url.origin", "a client certificate is shown by https only", "declare https origins, and no others");
  const cert = parseTemplate(auth.cert, known, place.in("cert"));
  const key = parseTemplate(auth.key, known, place.in("key"));
  const ca = auth.ca === undefined ? undefined : parseTemplate(auth.ca, known, place.in("ca"));
  return (values) => ({
    cert: pem(cert, values),
    key: pem(key, values),
    ca: ca === undefined ? undefined : fill(ca, values, asItIs),
  });
}

function pem(template: Template, values: Values): string {
  const text = fill(template, values, asItIs);
  if (text === undefined || !/-----BEGIN [A-Z0-9 ]+-----/.test(text)) throw fieldProblem(template, "is not PEM");
  return text;
}
