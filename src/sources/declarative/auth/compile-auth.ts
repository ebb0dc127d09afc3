import type { ClientTls } from "../../../sdk/http.ts";
import type { AuthFile } from "../format/format.ts";
import type { Values } from "../request/template.ts";
import type { AuthSetting, AuthStep } from "./auth-step.ts";
import { compileHmac } from "./hmac.ts";
import { compileMutualTls } from "./mutual-tls.ts";
import { compileApiKey, compileBasic, compileBearer } from "./static-auth.ts";
import { compileTokenExchange, type TokenExchange } from "./token-exchange.ts";

/** All kinds of authentication of a file, stacked in the order they stand. */
export interface Auth {
  readonly steps: readonly AuthStep[];
  readonly tokens: TokenExchange | undefined;
  readonly tls: ((values: Values) => ClientTls) | undefined;
}

/** @throws DeclarationError */
export function compileAuth(written: AuthFile | readonly AuthFile[] | undefined, setting: AuthSetting): Auth {
  const list: readonly AuthFile[] =
    written === undefined ? [] : Array.isArray(written) ? written : [written as AuthFile];
  const steps: AuthStep[] = [];
  let tokens: TokenExchange | undefined;
  let tls: Auth["tls"];
  for (const [index, auth] of list.entries()) {
    const here = { ...setting, place: Array.isArray(written) ? setting.place.in(index) : setting.place };
    if (auth.kind === "mtls") {
      if (tls !== undefined) here.place.refuse("request.duplicate", "a request has one client certificate");
      tls = compileMutualTls(auth, here);
    } else if (auth.kind === "token_exchange") {
      if (tokens !== undefined) here.place.refuse("request.duplicate", "a request has one login call");
      tokens = compileTokenExchange(auth, loginSteps(auth.auth, here), here);
      steps.push(tokens.step);
    } else {
      steps.push(compileStep(auth, here));
    }
  }
  return { steps, tokens, tls };
}

type StepFile = Exclude<AuthFile, { kind: "mtls" | "token_exchange" }>;

function loginSteps(auth: StepFile | undefined, setting: AuthSetting): readonly AuthStep[] {
  if (auth === undefined) return [];
  const { inputs: _, ...lasting } = setting.known;
  return [compileStep(auth, { ...setting, known: lasting, place: setting.place.in("auth") })];
}

function compileStep(auth: StepFile, setting: AuthSetting): AuthStep {
  switch (auth.kind) {
    case "api_key":
      return compileApiKey(auth, setting);
    case "basic":
      return compileBasic(auth, setting);
    case "bearer":
      return compileBearer(auth, setting);
    case "hmac":
      return compileHmac(auth, setting);
  }
}
