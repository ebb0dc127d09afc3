import assert from "node:assert/strict";
import type { AdminPort } from "./admin.ts";
import type { Reply } from "./client.ts";
import type { Appointed } from "./organization.ts";

/** What a page of the service sends: the header of the console, and the origin that its browser adds. */
export function pageOf({ adminUrl }: { readonly adminUrl: string }, scheme = "http") {
  return { Origin: `${scheme}://${new URL(adminUrl).host}`, "Datarun-Console": "1" };
}

/** The only cookie that a reply sets. */
export function cookieOf(reply: Reply): string {
  const [cookie, ...others] = reply.headers["set-cookie"] ?? [];
  assert.ok(cookie !== undefined && others.length === 0);
  return cookie;
}

/** Name and value, as a browser sends them back. */
export async function logIn(
  { call }: AdminPort,
  service: { readonly adminUrl: string },
  as: Appointed,
  scheme?: string,
): Promise<string> {
  const begun = await call("session", undefined, { as, headers: pageOf(service, scheme) });
  assert.equal(begun.statusCode, 200, begun.text);
  return cookieOf(begun).split(";")[0]!;
}
