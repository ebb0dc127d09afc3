import type { SecureContext } from "node:tls";
import type * as openidClient from "openid-client";
import type { ClientAuth, Configuration } from "openid-client";
import type { Log } from "../../../operate/log.ts";
import { createTally } from "../../../operate/tally.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import type { LoginAttempt } from "./login-attempt.ts";
import { type ClaimSettings, isWithoutClaims, joinClaims } from "./person-of-claims.ts";
import { createBoundedFetch } from "../../../terms/http/bounded-fetch.ts";
import { HOUR_MS } from "../../../terms/time/durations.ts";
import { causeOfFailure, problemOf } from "./provider-problem.ts";

/** Settings of the group `oidc`, with an issuer. */
export interface ProviderSettings extends ClaimSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** The secret at the time of a login: it may be replaced while the service runs. */
  clientSecret(): string | undefined;
  readonly scopes: readonly string[];
}

export interface ProviderParts {
  readonly settings: ProviderSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** The trusted certificate authorities; Node's own if left out. */
  trust(): SecureContext | undefined;
  /** The egress proxy, `http://[user:password@]host:port`, at the time of a discovery. Without it there is none. */
  proxy?(): string | undefined;
  /** The time limit of each request to the provider. A login takes up to four requests. */
  readonly seconds?: number;
}

/**
 * An OpenID Connect provider, by the authorization code flow with PKCE. `openid-client` makes the protocol's checks.
 */
export interface IdentityProvider {
  /** The provider's host, by which people recognize it. */
  readonly host: string;
  /** Whether the provider is discovered, so that `addressFor` makes no request. */
  isKnown(): boolean;
  /** Fetches the provider's metadata, unless it is known. @throws ProviderProblem */
  discover(): Promise<void>;
  /** The address at which a person logs in. @throws ProviderProblem */
  addressFor(attempt: LoginAttempt): Promise<string>;
  /** The claims of the person whose browser returned with this query. @throws ProviderProblem */
  claimsFrom(attempt: LoginAttempt, query: string): Promise<JsonObject>;
  /** Logs the failures that are not logged yet. */
  close(): void;
}

type Client = typeof openidClient;
interface Discovered {
  readonly client: Client;
  readonly configuration: Configuration;
  readonly until: number;
}

const SECONDS = 5;
/** How long metadata is cached. Changed keys are fetched as soon as a token uses one. */
const DISCOVERED_MS = HOUR_MS;
const REPORT_EVERY_MS = 60_000;

export function createIdentityProvider(parts: ProviderParts): IdentityProvider {
  const { settings, clock, log, trust, proxy, seconds = SECONDS } = parts;
  const host = new URL(settings.issuer).host;
  let discovered: Discovered | undefined;
  let discovering: Promise<Discovered> | undefined;

  /** Anybody can cause failures, so they are logged as counts. */
  const failures = createTally<string>(
    (cause, count) => log.warn({ event: "identity_provider_failed", cause, count }),
    clock,
    REPORT_EVERY_MS,
  );
  const isKnown = (): boolean => discovered !== undefined && clock.now() < discovered.until;

  async function discover(): Promise<Discovered> {
    if (isKnown()) return discovered!;
    // Concurrent calls share one request. A failure is not cached.
    discovering ??= load().finally(() => (discovering = undefined));
    return (discovered = await discovering);
  }

  async function load(): Promise<Discovered> {
    // Loaded on first use, because most services have no provider.
    const client = await import("openid-client");
    const { issuer, clientId } = settings;
    const auth = secretAuth(client, () => settings.clientSecret());
    // The settings allow plain http to this machine only.
    const execute = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
    const configuration = await client.discovery(new URL(issuer), clientId, {}, auth, {
      [client.customFetch]: createBoundedFetch(trust(), proxy?.()),
      timeout: seconds,
      execute: [...execute, client.enableNonRepudiationChecks],
    });
    return { client, configuration, until: clock.now() + DISCOVERED_MS };
  }

  /** `login`: during the check of a login's answer, which may be invalid without a fault of service or provider. */
  async function inWords<Value>(login: boolean, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (thrown) {
      failures.note(causeOfFailure(thrown));
      throw problemOf(thrown, host, seconds, login);
    }
  }

  return {
    host,
    isKnown,
    close: () => failures.close(),

    async discover() {
      await inWords(false, discover);
    },

    async addressFor({ redirectUri, state, nonce, codeVerifier }) {
      const { client, configuration } = await inWords(false, discover);
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: [...new Set(["openid", ...settings.scopes])].join(" "),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      });
      return url.href;
    },

    async claimsFrom({ redirectUri, state, nonce, codeVerifier }, query) {
      const { client, configuration } = await inWords(false, discover);
      const callbackUrl = new URL(redirectUri);
      callbackUrl.search = query;
      return inWords(true, async () => {
        const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims()! as JsonObject;
        const { userinfo_endpoint: more } = configuration.serverMetadata();
        if (more === undefined || !isWithoutClaims(claims, settings)) return claims;
        const userInfo = await client.fetchUserInfo(configuration, tokens.access_token, claims["sub"] as string);
        return joinClaims(claims, userInfo as JsonObject);
      });
    },
  };
}

/** Uses the client authentication that the provider announces, else the protocol's default. */
function secretAuth(client: Client, secretNow: () => string | undefined): ClientAuth {
  return (server, ...others) => {
    const secret = secretNow();
    if (secret === undefined) return client.None()(server, ...others);
    const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
    const { token_endpoint_auth_methods_supported: methods } = server;
    return (methods?.includes("client_secret_basic") === false ? post : basic)(server, ...others);
  };
}
