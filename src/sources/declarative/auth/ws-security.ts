import { createHash } from "node:crypto";
import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import type { RequestFile } from "../format/exchange-format.ts";
import { closed, template, words } from "../format/format-words.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { asItIs } from "../request/encodings.ts";
import { momentIn } from "../request/request-moment.ts";
import { fill, parseTemplate } from "../request/template.ts";
import { authKind, fieldProblem, type AuthSetting, type CompiledAuth } from "./auth-kind.ts";

const WsSecurity = Type.Object(
  {
    kind: Type.Literal("ws_security"),
    username: template("The user."),
    password: template("The password."),
    password_type: Type.Optional(
      words(
        ["digest", "text"],
        "`digest` sends a hash of nonce, time and password (PasswordDigest), `text` the password itself (PasswordText). `digest` by default.",
      ),
    ),
  },
  {
    ...closed,
    description:
      "A UsernameToken of WS-Security with nonce and time, in the header of the SOAP envelope that `request.body.xml` writes.",
  },
);

export const wsSecurity = authKind({
  schema: WsSecurity,
  once: "an envelope has one UsernameToken",
  compile: compileWsSecurity,
});

const OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss";
const TOKEN_PROFILE = `${OASIS}-username-token-profile-1.0`;

function compileWsSecurity(file: Static<typeof WsSecurity>, { known, place }: AuthSetting): CompiledAuth {
  parseTemplate(file.username, known, place.in("username"));
  const password = parseTemplate(file.password, known, place.in("password"));
  const isText = file.password_type === "text";
  const security = {
    "@xmlns:wsse": `${OASIS}-wssecurity-secext-1.0.xsd`,
    "@xmlns:wsu": `${OASIS}-wssecurity-utility-1.0.xsd`,
    "wsse:UsernameToken": {
      "wsse:Username": file.username,
      "wsse:Password": {
        "@Type": `${TOKEN_PROFILE}#Password${isText ? "Text" : "Digest"}`,
        "#text": isText ? file.password : "{{ password_digest }}",
      },
      "wsse:Nonce": {
        "@EncodingType": `${OASIS}-soap-message-security-1.0#Base64Binary`,
        "#text": "{{ nonce | base64 }}",
      },
      "wsu:Created": "{{ clock.iso_seconds }}",
    },
  };
  const extend = (request: RequestFile, at: DocumentLocation) => withHeader(request, security, at);
  if (isText) return { extend };
  return {
    extend,
    value: {
      name: "password_digest",
      covers: new Set(),
      make(_, values) {
        const secret = fill(password, values, asItIs);
        if (secret === undefined) throw fieldProblem(password, "is needed for the token");
        const { clock, nonce } = momentIn(values);
        return createHash("sha1").update(`${nonce}${clock.iso_seconds}${secret}`, "utf8").digest("base64");
      },
    },
  };
}

/** The request with an element in the header of its envelope, which is created if there is none. */
function withHeader(request: RequestFile, security: object, place: DocumentLocation): RequestFile {
  const { body } = request;
  const [[root, envelope] = ["", undefined]] = Object.entries(body?.xml ?? {});
  const [, prefix = "", name] = /^(?:([^:]+:))?([^:]+)$/.exec(root) ?? [];
  if (body === undefined || name !== "Envelope" || !isMembers(envelope)) {
    return place.refuse(
      "request.body",
      "ws_security needs the XML body of a SOAP envelope",
      "write body: {xml: {'soap:Envelope': {…, 'soap:Body': {…}}}}",
    );
  }
  const header = `${prefix}Header`;
  const present = envelope[header] ?? {};
  if (!isMembers(present)) {
    return place.in("body", "xml", root, header).refuse("request.body", "the header of the envelope is not an element");
  }
  const members = Object.entries(envelope).filter(([member]) => member !== header);
  const isFirst = ([member]: readonly [string, unknown]) => member.startsWith("@");
  const made = Object.fromEntries([
    ...members.filter(isFirst),
    [header, { "wsse:Security": security, ...present }],
    ...members.filter((member) => !isFirst(member)),
  ]);
  return { ...request, body: { ...body, xml: { [root]: made } } };
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
