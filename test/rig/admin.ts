import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { BINARY_TYPES } from "../../src/admin/verb.ts";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { createClient, type Reply } from "./client.ts";
import type { Appointed } from "./organization.ts";
import type { TestService } from "./service.ts";
import { assertResult } from "./verb-results.ts";

const DOCUMENT = JSON.parse(readFileSync(new URL("../../openapi-admin.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, object>>;
};
const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(DOCUMENT, "admin");
const isError = ajv.compile({ $ref: "admin#/components/schemas/Error" });
const results = new Map<string, ValidateFunction>();

/** The headers of every answer of the API. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "datarun-api": "1",
  "content-type": "application/json; charset=utf-8",
};

export interface AdminCall {
  /** Whose token is sent; nobody's unless given. */
  readonly as?: Pick<Appointed, "token">;
  readonly method?: string;
  /** In place of those that are sent otherwise; `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface AdminPort {
  /** A verb by its name, such as `token list`. Every answer is held to the contract before it is given back. */
  call(verb: string, input: unknown, how?: AdminCall): Promise<Reply>;
  /** A verb that has to succeed, and its result. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they assert
  result(verb: string, input: object, as: Pick<Appointed, "token">): Promise<any>;
}

export function adminPort(t: TestLife, adminUrl: string, secrets: TestService["secrets"]): AdminPort {
  const client = createClient(adminUrl);
  t.after(() => client.close());

  async function call(verb: string, input: unknown, { as, method = "POST", headers = {} }: AdminCall = {}) {
    const path = `/api/${verb.replaceAll(" ", "/")}`;
    const body = input === undefined ? undefined : typeof input === "string" ? input : JSON.stringify(input);
    const reply = await client.send({
      method,
      path,
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(as === undefined ? {} : { Authorization: `Bearer ${as.token}` }),
        ...headers,
      },
      body,
    });
    await assertAnswer(verb, path, reply);
    secrets.addAll(cookiesIn(reply));
    // A token is shown to whoever creates it, and nothing else secret to anybody.
    const shown = reply.statusCode === 200 && verb.endsWith(" create") ? tokensIn(reply.text) : [];
    secrets.assertAbsent(`the answer of ${verb}`, reply.text, shown);
    for (const token of shown) secrets.add(token);
    return reply;
  }

  return {
    call,
    async result(verb, input, as) {
      const reply = await call(verb, input, { as });
      assert.equal(reply.statusCode, 200, reply.text);
      return reply.json();
    },
  };
}

async function assertAnswer(verb: string, path: string, reply: Reply): Promise<void> {
  const isText = reply.statusCode === 200 && reply.headers["content-disposition"] !== undefined;
  for (const [name, value] of Object.entries(HEADERS))
    if (name !== "content-type" || !isText) assert.equal(reply.headers[name], value, name);
  const unwanted = Object.keys(reply.headers).filter((name) => /^(access-control-|server$|x-powered-by$)/.test(name));
  assert.deepEqual(unwanted, []);
  if (reply.statusCode !== 200) {
    assert.ok(isError(reply.json()), `${verb} ${reply.statusCode}: ${ajv.errorsText(isError.errors)}\n${reply.text}`);
    return;
  }
  assert.ok(Object.hasOwn(DOCUMENT.paths, path), `openapi-admin.json has no ${path}`);
  if (isText) return assertText(path, reply);
  let check = results.get(path);
  if (check === undefined) {
    const ref = `admin#/paths/${path.replaceAll("/", "~1")}/post/responses/200/content/application~1json/schema`;
    results.set(path, (check = ajv.compile({ $ref: ref })));
  }
  assert.ok(check(reply.json()), `${verb}: ${ajv.errorsText(check.errors)}\n${reply.text}`);
  await assertResult(verb, reply.json());
}

function assertText(path: string, { headers }: Reply): void {
  const { post } = DOCUMENT.paths[path] as {
    readonly post: { readonly responses: Readonly<Record<string, { readonly content: object }>> };
  };
  const [type, charset] = String(headers["content-type"]).split("; ");
  assert.ok(Object.hasOwn(post.responses["200"]!.content, type!), `openapi-admin.json has no ${type} for ${path}`);
  assert.equal(charset, BINARY_TYPES.includes(type!) ? undefined : "charset=utf-8");
}

/** What a session's cookie holds, which nothing else may. */
function cookiesIn({ headers }: Reply): string[] {
  return (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]!.split("=")[1]!);
}

function tokensIn(text: string): string[] {
  return text.match(/d(rt|op)_[0-9A-Za-z]{49}/g) ?? [];
}
