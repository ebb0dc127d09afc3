import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

const SECRET = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.SECRET0123";
const ADDRESS = "https://api.acme.example/v1/people?number=7";

const entry = (url: string, request: object = {}) => ({
  request: { method: "GET", url, ...request },
  response: { status: 200, content: { mimeType: "application/json", text: '{"name": "Ada"}' } },
});
const har = (one: object) => JSON.stringify({ log: { entries: [one] } });
const form = { mimeType: "application/x-www-form-urlencoded", text: SECRET };

test("a secret without a name is refused, and comes into no file and no output", async (t) => {
  for (const [kind, imported] of [
    ["curl", `curl '${ADDRESS}' -d '${SECRET}'`],
    ["curl", `curl '${ADDRESS}' -d '${SECRET}=='`],
    ["curl", `curl '${ADDRESS}&${SECRET}'`],
    ["har", har(entry(`${ADDRESS}&${SECRET}`))],
    ["har", har(entry(ADDRESS, { method: "POST", postData: form }))],
  ] as const) {
    const folder = project(t, { imported, "reply.json": JSON.stringify({ name: "Ada" }) });
    const { run } = shell(t, folder);
    const file = join(folder, "imported");
    const all = ["--title", "People", "--nobody", "404", "--sample", join(folder, "reply.json")];
    const made = await run(["source", "new", "acme__people", `--from-${kind}`, file, ...all]);
    assert.equal(made.code, 1, imported);
    assert.match(
      made.stderr,
      /Nothing was imported: .* (?:is a text and not a form|a value without a name) /,
      imported,
    );
    assert.doesNotMatch(made.stdout + made.stderr, /SECRET/i, imported);
    assert.deepEqual(globSync("sources/**/*.yaml", { cwd: folder }), [], imported);
  }
});
