import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Configuration, Provider } from "oidc-provider";
import type { TestLife } from "../vendor/scripted-vendor.ts";

/** Somebody whom the provider knows, by what it says about them. */
export interface KnownPerson {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[] | string;
  readonly [claim: string]: unknown;
}

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whom it knows, by subject. They may change. */
  readonly people: Record<string, KnownPerson>;
  /** Where it sends browsers back to. Nothing else answers before this was called. */
  allow(adminUrl: string): void;
  /** Each request that has reached it: `GET /token`. */
  readonly asked: string[];
  /** Answers a request in its place, and returns whether it has. */
  interfere: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** What a browser and its owner do at an address of the provider. Returns the address to which the browser is sent back. */
  visit(address: string, subject: string): Promise<URL>;
}

export interface ProviderOptions {
  /** Claims are in the ID token, or told only to whoever asks for them with the access token. */
  readonly claimsIn?: "id_token" | "userinfo";
}

const CLIENT_ID = "datarun";

/** A real OpenID Connect provider on loopback, whose page for logins is a button for each person. It insists on PKCE. */
export async function startIdentityProvider(
  t: TestLife,
  people: Record<string, KnownPerson>,
  { claimsIn = "id_token" }: ProviderOptions = {},
): Promise<TestProvider> {
  const clientSecret = randomBytes(24).toString("base64url");
  const asked: string[] = [];
  let provider: Provider | undefined;
  let answer: ReturnType<Provider["callback"]> | undefined;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url!.split("?")[0]}`);
    if (started.interfere(request, response)) return;
    const [, uid] = /^\/interaction\/([\w-]+)/.exec(request.url!) ?? [];
    if (uid !== undefined) void interact(provider!, people, request, response);
    else void answer!(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  // Another site than 127.0.0.1, as providers are: browsers withhold cookies then.
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;

  const started: TestProvider = {
    issuer,
    clientId: CLIENT_ID,
    clientSecret,
    people,
    asked,
    interfere: () => false,
    allow(adminUrl) {
      provider = new Provider(issuer, {
        ...configurationOf(people, claimsIn),
        clients: [{ client_id: CLIENT_ID, client_secret: clientSecret, redirect_uris: [`${adminUrl}/console/login`] }],
      });
      provider.on("server_error", (_, error) => process.stderr.write(`${error.stack}\n`));
      answer = provider.callback();
    },
    visit: (address, subject) => visit(issuer, address, subject),
  };
  return started;
}

function configurationOf(people: Record<string, KnownPerson>, claimsIn: "id_token" | "userinfo"): Configuration {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256" };
  return {
    jwks: { keys: [key] } as NonNullable<Configuration["jwks"]>,
    cookies: { keys: [randomBytes(24).toString("hex")] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    scopes: ["openid", "profile", "email"],
    claims: { openid: ["sub"], profile: ["groups", "preferred_username"], email: ["email", "email_verified"] },
    conformIdTokenClaims: claimsIn === "userinfo",
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub, ...people[sub] }) }),
    async loadExistingGrant(ctx) {
      const { client, session, provider } = ctx.oidc;
      const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AuthorizationCode: 60, AccessToken: 60, IdToken: 60 },
  };
}

async function interact(
  provider: Provider,
  people: Record<string, KnownPerson>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "POST") {
    const form = new URLSearchParams(await text(request));
    const subject = form.get("subject")!;
    const result = subject === "" ? { error: "access_denied" } : { login: { accountId: subject, remember: false } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const buttons = ["", ...Object.keys(people)].map(
    (subject) => `<button name="subject" value="${subject}">${subject || "Cancel"}</button>`,
  );
  response.writeHead(200, { "Content-Type": "text/html" });
  response.end(`<!doctype html><title>Provider</title><form method="post">${buttons.join("")}</form>`);
}

/** Follows the provider's redirects with its cookies, logs in where it asks for that, and stops where it leads away. */
async function visit(issuer: string, address: string, subject: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(address, issuer);
  let body: URLSearchParams | undefined;
  for (let left = 8; left > 0 && url.origin === issuer; left -= 1) {
    const reply = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: { Cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      ...(body !== undefined && { body }),
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    const to = reply.headers.get("location");
    body = to === null ? new URLSearchParams({ subject }) : undefined;
    if (to !== null) url = new URL(to, url);
    else if (!url.pathname.startsWith("/interaction/")) throw new Error(`${reply.status}: ${await reply.text()}`);
  }
  return url;
}
