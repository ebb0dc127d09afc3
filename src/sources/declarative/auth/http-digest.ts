import { createHash } from "node:crypto";
import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { Fault } from "../../../terms/fault.ts";
import { closed, template } from "../format/format-words.ts";
import { asItIs, inHeader } from "../request/encodings.ts";
import { percentEncode } from "../request/percent-encode.ts";
import { momentIn } from "../request/request-moment.ts";
import type { RenderedRequest } from "../request/render-request.ts";
import { fill, parseTemplate } from "../request/template.ts";
import { authKind, fieldProblem, type AuthSetting, type AuthStep, type ChallengeResponse } from "./auth-kind.ts";
import { createChallengeCache, type Challenge } from "./challenge-cache.ts";

const HttpDigest = Type.Object(
  { kind: Type.Literal("http_digest"), username: template("The user."), password: template("The password.") },
  {
    ...closed,
    description:
      "HTTP Digest authentication (RFC 7616). The vendor refuses the first request with a challenge, and the request is sent once more with the response to it. Later requests of the same credential to that origin respond to the same challenge at once, until the vendor sends another. A refused request is not billed.",
  },
);

/** Nothing is added before the challenge, but the field is taken. */
const NOTHING_YET: AuthStep = { headerNames: ["authorization"], apply: (request) => request };

export const httpDigest = authKind({
  schema: HttpDigest,
  once: "a request has one response to a challenge",
  compile: (file, setting) => ({ step: NOTHING_YET, challenges: compileHttpDigest(file, setting) }),
});

/** Hash functions by the names of RFC 7616, the strongest first. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ["sha-512-256", "sha512-256"],
  ["sha-256", "sha256"],
  ["md5", "md5"],
]);

function compileHttpDigest(file: Static<typeof HttpDigest>, { known, place }: AuthSetting): ChallengeResponse {
  const username = parseTemplate(file.username, known, place.in("username"));
  const password = parseTemplate(file.password, known, place.in("password"));
  return {
    cache: createChallengeCache(),
    read: readChallenge,
    next: nextChallenge,
    respond(challenge, request, values) {
      const [user, secret] = [fill(username, values, asItIs), fill(password, values, asItIs)];
      if (user === undefined || secret === undefined) return null;
      // The first colon ends the user name.
      if (user.includes(":")) throw fieldProblem(username, "must not contain a colon");
      const { nonce } = momentIn(values);
      const cnonce = isOfSession(challenge) ? (challenge.cnonce ??= nonce) : nonce;
      challenge.uses += 1;
      const response = responseTo(challenge, { user, secret, cnonce }, request);
      if (inHeader.encode(response) === null)
        throw new Fault("source.contract", { problem: "its challenge cannot be used in a header" });
      return response;
    },
  };
}

/** Whether the key is computed once for all responses to the challenge, with the first `cnonce`. */
function isOfSession({ parameters }: Challenge): boolean {
  return parameters["algorithm"]?.toLowerCase().endsWith("-sess") === true;
}

interface Responder {
  readonly user: string;
  readonly secret: string;
  readonly cnonce: string;
}

function responseTo(challenge: Challenge, by: Responder, request: RenderedRequest): string {
  const { parameters, hash, qop, uses } = challenge;
  const { realm = "", nonce = "", algorithm, opaque, userhash } = parameters;
  const h = (content: string | Buffer) => createHash(hash).update(content).digest("hex");
  const uri = `${request.path}${request.query === "" ? "" : `?${request.query}`}`;
  const nc = uses.toString(16).padStart(8, "0");
  const plain = h(`${by.user}:${realm}:${by.secret}`);
  const a1 = isOfSession(challenge) ? h(`${plain}:${nonce}:${by.cnonce}`) : plain;
  const a2 = h(`${request.method}:${uri}${qop === "auth-int" ? `:${h(request.body ?? "")}` : ""}`);
  const response = h(qop === null ? `${a1}:${nonce}:${a2}` : `${a1}:${nonce}:${nc}:${by.cnonce}:${qop}:${a2}`);
  const isHashed = userhash?.toLowerCase() === "true";
  const user = isHashed ? h(`${by.user}:${realm}`) : by.user;
  return `Digest ${[
    // oxlint-disable-next-line no-control-regex -- characters that a quoted string cannot contain
    /^[\u0020-\u007e]*$/.test(user) ? `username=${quoted(user)}` : `username*=UTF-8''${percentEncode(user)}`,
    `realm=${quoted(realm)}`,
    `uri=${quoted(uri)}`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    `nonce=${quoted(nonce)}`,
    ...(qop === null ? [] : [`nc=${nc}`, `cnonce=${quoted(by.cnonce)}`, `qop=${qop}`]),
    `response=${quoted(response)}`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
    ...(isHashed ? ["userhash=true"] : []),
  ].join(", ")}`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** The strongest Digest challenge of a field `WWW-Authenticate` that can be answered; `null` without one. */
function readChallenge(text: string): Challenge | null {
  const found = challengesIn(text).flatMap(({ scheme, parameters }): Challenge[] => {
    const name = (parameters["algorithm"] ?? "MD5").toLowerCase().replace(/-sess$/, "");
    const hash = HASHES.get(name);
    const offered = parameters["qop"]?.split(",").map((each) => each.trim().toLowerCase());
    const qop = offered === undefined ? null : (["auth", "auth-int"] as const).find((each) => offered.includes(each));
    return scheme !== "digest" || hash === undefined || qop === undefined ? [] : [{ parameters, hash, qop, uses: 0 }];
  });
  const order = [...HASHES.values()];
  return found.toSorted((a, b) => order.indexOf(a.hash) - order.indexOf(b.hash))[0] ?? null;
}

/**
 * The challenge that replaces one after a reply whose `Authentication-Info` names the next nonce; `null` if none does. A
 * session stays with its first nonce.
 */
function nextChallenge(challenge: Challenge, authenticationInfo: string): Challenge | null {
  const nonce = challengesIn(`Digest ${authenticationInfo}`)[0]?.parameters["nextnonce"];
  if (nonce === undefined || isOfSession(challenge)) return null;
  return { ...challenge, parameters: { ...challenge.parameters, nonce }, uses: 0 };
}

/** A name, with its value if it is a parameter. A name without a value begins a challenge. */
const WORD = /([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g;

function challengesIn(text: string) {
  const challenges: { readonly scheme: string; readonly parameters: Record<string, string> }[] = [];
  for (const [, name = "", inQuotes, bare] of text.matchAll(WORD)) {
    const value = inQuotes?.replaceAll(/\\(.)/g, "$1") ?? bare;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: {} });
    else if (name !== "__proto__") Object.assign(challenges.at(-1)?.parameters ?? {}, { [name.toLowerCase()]: value });
  }
  return challenges;
}
