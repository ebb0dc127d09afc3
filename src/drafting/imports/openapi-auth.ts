import {
  basicAuth,
  bearerAuth,
  draftAuth,
  joinAuth,
  keyAuth,
  loginAuth,
  NO_AUTH,
  type DraftedAuth,
} from "../draft-auth.ts";
import { isJsonObject } from "../../terms/json/json.ts";
import { snakeCase } from "../draft-request.ts";
import type { OpenApiDocument, Spot } from "./openapi-document.ts";

/**
 * The authentication of an operation: the first alternative that a program can use. @throws ImportProblem if there is
 * none, with the problem of the first alternative
 */
export function authOf(
  document: OpenApiDocument,
  operation: Spot,
  server: string,
): { auth: DraftedAuth; notes: string[] } {
  const holder = [operation, document.root].find((spot) => document.in(spot, "security") !== undefined);
  const alternatives = holder === undefined ? [] : document.list(holder, "security");
  if (alternatives.length === 0) return { auth: NO_AUTH, notes: [] };
  const shown = alternatives.map(({ value }) => (isJsonObject(value) && Object.keys(value).join(" and ")) || "none");
  let refused: unknown;
  for (const [index, alternative] of alternatives.entries()) {
    try {
      const parts = document
        .members(alternative)
        .map(([name, scopes]) => schemeOf(document, alternative, name, scopes, server));
      const others = shown.filter((_, at) => at !== index);
      const notes = others.length === 0 ? [] : [`Of ${shown.join(", ")} it authenticates by ${shown[index]!}.`];
      return { auth: joinAuth(parts), notes };
    } catch (problem) {
      refused ??= problem;
    }
  }
  throw refused;
}

function schemeOf(document: OpenApiDocument, at: Spot, name: string, scopes: Spot, server: string): DraftedAuth {
  const known = document.object(document.root, "components");
  const schemes = known && document.object(known, "securitySchemes");
  const scheme = schemes && document.object(schemes, name);
  if (scheme === undefined) return document.refuse(at, `there is no security scheme "${name}"`);
  const type = document.text(scheme, "type");
  if (type === "apiKey") {
    const field = document.text(scheme, "name") ?? "";
    const place = document.text(scheme, "in");
    const own = {
      field: /^(?:authorization|x-)?api[-_]?key$|^key$|^authorization$/i.test(field)
        ? "api_key"
        : snakeCase(field) || "api_key",
    };
    if (place === "header") return keyAuth({ header: field }, own);
    if (place === "query") return keyAuth({ query: field }, own);
    const cookie = keyAuth({ header: "Cookie" }, own);
    return {
      ...cookie,
      kinds: cookie.kinds.map((kind) => ({ ...kind, value: `${field}=${kind["value"] as string}` })),
    };
  }
  if (type === "http") {
    const word = document.text(scheme, "scheme") ?? "";
    if (/^basic$/i.test(word)) return basicAuth();
    if (/^bearer$/i.test(word)) return bearerAuth();
    if (/^digest$/i.test(word)) return draftAuth("http_digest");
    if (!/^(?:hoba|mutual|negotiate|privatetoken|scram-.*|vapid)$/i.test(word))
      return keyAuth({ header: "Authorization" }, { word });
    return document.refuse(scheme, `${word} cannot be imported`, INSTEAD);
  }
  if (type === "mutualTLS") return draftAuth("mtls");
  if (type !== "oauth2") {
    const said = type === undefined ? "without a type" : `of the type ${type}`;
    return document.refuse(scheme, `a login ${said} cannot be imported`, INSTEAD);
  }
  const flows = document.object(scheme, "flows");
  for (const [flow, grant] of [
    ["clientCredentials", "client_credentials"],
    ["password", "password"],
  ] as const) {
    const found = flows && document.object(flows, flow);
    if (!found) continue;
    const written = document.text(found, "tokenUrl") ?? "";
    const url = URL.parse(written, server);
    if (url === null) return document.refuse(found, "its tokenUrl is not a URL", INSTEAD);
    const wanted = Array.isArray(scopes.value)
      ? scopes.value.filter((scope) => typeof scope === "string").join(" ")
      : "";
    return loginAuth(url.href.split("?")[0]!, grant, wanted);
  }
  return document.refuse(scheme, "this login needs a person with a browser", INSTEAD);
}

const INSTEAD = "use --auth to say how a program authenticates, such as oauth2:LOGIN_URL";
