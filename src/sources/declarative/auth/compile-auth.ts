import type { Static } from "typebox";
import { apiKey } from "./api-key.ts";
import { kindOf, type AnyAuthKind, type AuthSetting, type AuthStep, type CompiledAuth } from "./auth-kind.ts";
import { basic } from "./basic.ts";
import { bearer } from "./bearer.ts";
import { hmac } from "./hmac.ts";
import { mutualTls } from "./mutual-tls.ts";
import { tokenExchange } from "./token-exchange.ts";

/** Kinds that only add to a request, so they can also authenticate a login call. */
const ADDING = [apiKey, basic, bearer, hmac] as const;

/** All kinds of authentication. The format, its reference and the compiler are derived from this list. */
export const AUTH_KINDS = [...ADDING, tokenExchange(ADDING), mutualTls] as const;

export type AuthFile = Static<(typeof AUTH_KINDS)[number]["schema"]>;

/** The compiled authentication of a file, applied in the order of the file. */
export interface Auth {
  readonly steps: readonly AuthStep[];
  readonly tokens: CompiledAuth["tokens"] | undefined;
  readonly tls: CompiledAuth["tls"] | undefined;
}

/** @throws DeclarationError */
export function compileAuth(written: AuthFile | readonly AuthFile[] | undefined, setting: AuthSetting): Auth {
  const list: readonly AuthFile[] =
    written === undefined ? [] : Array.isArray(written) ? written : [written as AuthFile];
  const seen = new Set<AnyAuthKind>();
  const compiled = list.map((file, index) => {
    const place = Array.isArray(written) ? setting.place.in(index) : setting.place;
    const kind = kindOf(file, AUTH_KINDS);
    if (kind.once !== undefined && seen.has(kind)) place.refuse("request.duplicate", kind.once);
    seen.add(kind);
    return kind.compile(file, { ...setting, place });
  });
  return {
    steps: compiled.flatMap(({ step }) => (step === undefined ? [] : [step])),
    tokens: compiled.find(({ tokens }) => tokens !== undefined)?.tokens,
    tls: compiled.find(({ tls }) => tls !== undefined)?.tls,
  };
}
