import type { Static } from "typebox";
import { apiKey } from "./api-key.ts";
import { kindOf, type AnyAuthKind, type AuthSetting, type CompiledAuth } from "./auth-kind.ts";
import { basic } from "./basic.ts";
import { bearer } from "./bearer.ts";
import { httpDigest } from "./http-digest.ts";
import { jwt } from "./jwt.ts";
import { mutualTls } from "./mutual-tls.ts";
import { oauth1 } from "./oauth1.ts";
import { digest, hmac } from "./signature.ts";
import { tokenExchange } from "./token-exchange.ts";
import { wsSecurity } from "./ws-security.ts";
import type { Moments } from "../request/request-moment.ts";

/** Kinds that only add to a request, so they can also authenticate a login call. */
export const LOGIN_KINDS = [apiKey, basic, bearer, hmac, digest, jwt, oauth1, wsSecurity] as const;

/** All kinds of authentication. The format, its reference and the compiler are derived from this list. */
export const AUTH_KINDS = [...LOGIN_KINDS, tokenExchange(LOGIN_KINDS), httpDigest, mutualTls] as const;

export type AuthFile = Static<(typeof AUTH_KINDS)[number]["schema"]>;

/** The compiled authentication of a file. */
export interface Auth extends Pick<CompiledAuth, "tokens" | "challenges" | "tls"> {
  /** In the order of the file. */
  readonly kinds: readonly CompiledAuth[];
  readonly moments: Moments;
}

/** @throws DeclarationError */
export function compileAuth(written: AuthFile | readonly AuthFile[] | undefined, setting: AuthSetting): Auth {
  const list: readonly AuthFile[] =
    written === undefined ? [] : Array.isArray(written) ? written : [written as AuthFile];
  const logsIn = list.some(({ kind }) => kind === "token_exchange");
  const seen = new Set<AnyAuthKind>();
  const compiled = list.map((file, index) => {
    const place = Array.isArray(written) ? setting.place.in(index) : setting.place;
    const kind = kindOf(file, AUTH_KINDS);
    if (kind.once !== undefined && seen.has(kind)) place.refuse("request.duplicate", kind.once);
    seen.add(kind);
    // The login itself has no token yet.
    const hasToken = logsIn && file.kind !== "token_exchange";
    const known = hasToken ? { ...setting.known, token: null } : setting.known;
    return kind.compile(file, { ...setting, known, place });
  });
  // Each of these is of a kind that a file can use once.
  const around = Object.assign({}, ...compiled) as Pick<CompiledAuth, "tokens" | "challenges" | "tls">;
  return { ...around, kinds: compiled, moments: setting.moments };
}
