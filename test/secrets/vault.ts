import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestLife } from "../vendor/scripted-vendor.ts";

/** The API of HashiCorp Vault and OpenBao as far as it is used, by their documentation, over a store that a test controls. */
export interface TestVault {
  readonly address: string;
  /** Data of KV version 2 by path, `mount/path`. */
  readonly secrets: Map<string, Readonly<Record<string, string>>>;
  readonly appRole: { readonly roleId: string; secretId: string };
  /** The token of a pod with the role `datarun`. */
  readonly podToken: string;
  readonly token: string;
  /** Paths requested so far. */
  readonly requests: readonly string[];
  /** What every request is answered with from now on, in place of its answer. */
  fails: { readonly status: number; readonly body: string } | null;
  /** Ends every token that a login has given. */
  revokeLogins(): void;
  encrypt(key: string, plain: Buffer): string;
}

/** @param namespace requests in another one are refused */
export async function startVault(t: TestLife, { namespace = "" } = {}): Promise<TestVault> {
  const secrets = new Map<string, Readonly<Record<string, string>>>();
  const requests: string[] = [];
  const logins = new Set<string>();
  const plains = new Map<string, Buffer>();
  const vault = {
    secrets,
    requests,
    token: `hvs.${randomBytes(18).toString("base64url")}`,
    podToken: `eyJ.${randomBytes(18).toString("base64url")}`,
    appRole: { roleId: "role-1", secretId: randomBytes(18).toString("base64url") },
    fails: null as TestVault["fails"],
    revokeLogins: () => logins.clear(),
    encrypt(key: string, plain: Buffer): string {
      const ciphertext = `vault:v1:${randomBytes(24).toString("base64")}`;
      plains.set(`${key} ${ciphertext}`, plain);
      return ciphertext;
    },
  };

  function logIn(): object {
    const token = `hvs.${randomBytes(18).toString("base64url")}`;
    logins.add(token);
    return { auth: { client_token: token, lease_duration: 3_600, renewable: true } };
  }

  function answer(path: string, request: IncomingMessage, body: Readonly<Record<string, string>>): [number, object] {
    if ((request.headers["x-vault-namespace"] ?? "") !== namespace) return [404, { errors: ["no handler for route"] }];
    if (path === "auth/approle/login") {
      const { roleId, secretId } = vault.appRole;
      if (body["role_id"] !== roleId || body["secret_id"] !== secretId)
        return [400, { errors: ["invalid role or secret ID"] }];
      return [200, logIn()];
    }
    if (path === "auth/kubernetes/login") {
      const isPod = body["role"] === "datarun" && body["jwt"] === vault.podToken;
      return isPod ? [200, logIn()] : [403, { errors: ["permission denied"] }];
    }
    const token = String(request.headers["x-vault-token"]);
    if (token !== vault.token && !logins.has(token)) return [403, { errors: ["permission denied"] }];
    const [, key] = /^transit\/decrypt\/(.+)$/.exec(path) ?? [];
    if (key !== undefined) {
      const plain = plains.get(`${key} ${body["ciphertext"]}`);
      return plain === undefined
        ? [400, { errors: ["invalid ciphertext"] }]
        : [200, { data: { plaintext: plain.toString("base64") } }];
    }
    const [, mount, name] = /^([^/]+)\/data\/(.+)$/.exec(path) ?? [];
    const data = secrets.get(`${mount}/${name}`);
    return data === undefined ? [404, { errors: [] }] : [200, { data: { data, metadata: { version: 1 } } }];
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      const path = request.url!.replace("/v1/", "");
      requests.push(path);
      if (vault.fails !== null) return response.writeHead(vault.fails.status).end(vault.fails.body);
      const [status, body] = answer(path, request, text === "" ? {} : (JSON.parse(text) as Record<string, string>));
      return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(vault, { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
