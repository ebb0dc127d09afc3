import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

test("source new says when what the source sends can be read on the way, and whether a credential is among it", async (t) => {
  const folder = project(t, { "reply.json": JSON.stringify({ id: "7", name: "Ada" }) });
  const { run } = shell(t, folder);
  const noted = async (id: string, changes: Readonly<Record<string, string>>) => {
    const all = { title: "Company", sample: join(folder, "reply.json"), nobody: "404", ...changes };
    const made = await run([
      "source",
      "new",
      id,
      ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]),
    ]);
    assert.equal(made.code, 0, made.stderr);
    return made.stderr.split("\n").filter((line) => line.includes("not encrypted"));
  };

  const plain = "http://api.acme.example/v1/{id}";
  assert.deepEqual(await noted("acme__key", { url: plain, auth: "header:X-Key" }), [
    "Requests to http://api.acme.example are not encrypted, including the credential: use https if the vendor offers it.",
  ]);
  assert.deepEqual(await noted("acme__open", { url: plain, auth: "none" }), [
    "Requests to http://api.acme.example are not encrypted: use https if the vendor offers it.",
  ]);
  const login = { url: "https://api.acme.example/v1/{id}", auth: "oauth2:http://login.acme.example/token" };
  assert.deepEqual(await noted("acme__login", login), [
    "Requests to http://login.acme.example are not encrypted, including the credential: use https if the vendor offers it.",
  ]);
  assert.deepEqual(await noted("acme__safe", { ...login, auth: "oauth2:https://login.acme.example/token" }), []);
  assert.deepEqual(await noted("acme__here", { url: "http://127.0.0.1:8080/v1/{id}", auth: "header:X-Key" }), []);
});
