import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { parse } from "yaml";
import { project } from "../start/project-folder.ts";
import { shell } from "./project-shell.ts";

const ASKS = "curl 'https://api.acme.example/find?query=x&format=json'";
const DOCUMENT = `openapi: 3.1.0
info: {title: Acme, version: "1"}
servers: [{url: https://api.acme.example}]
paths:
  /find:
    get:
      parameters: [{name: query, in: query, schema: {type: string}}]
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}}
`;

function making(t: TestContext) {
  const folder = project(t, { "asks.sh": ASKS, "acme.yaml": DOCUMENT, "reply.json": '{"name": "Ada", "id": "A1"}' });
  const { run } = shell(t, folder);
  const at = (name: string) => join(folder, name);
  const make = (...options: string[]) =>
    run(
      `source new acme__company --title Company --nobody 404 --sample ${at("reply.json")}`.split(" ").concat(options),
    );
  return { at, make, written: () => readFileSync(at("sources/acme/company.yaml"), "utf8") };
}

test("an example for an input that an imported request does not have is refused like a constant that it does not have", async (t) => {
  const { at, make, written } = making(t);
  for (const [options, says] of [
    [
      ["--from-curl", at("asks.sh"), "--set", "zz=1"],
      /^Nothing was imported: no input of the request has the name "zz" that --set gives \(its inputs are query, format\)\.\n$/,
    ],
    [
      ["--from-curl", at("asks.sh"), "--set", "qery=1"],
      /no input of the request has the name "qery" that --set gives \(did you mean "query"\?\)/,
    ],
    [
      ["--from-curl", at("asks.sh"), "--fixed", "format", "--set", "format=xml"],
      /no input of the request has the name "format" that --set gives \(its inputs are query\)/,
    ],
    [["--from-openapi", `${at("acme.yaml")}#GET /find`, "--set", "zz=1"], /no input of the request has the name "zz"/],
  ] as const) {
    const { code, stderr } = await make(...options);
    assert.match(stderr, says);
    assert.equal(code, 1, stderr);
  }
  assert.equal((await make("--from-curl", at("asks.sh"), "--set", "query=Ada")).code, 0);
  assert.match(written(), /query: Ada/);
});

test("a draft can have each method that an import can have, and a refusal says where another one is written", async (t) => {
  const { at, make, written } = making(t);
  const url = ["--url", "https://api.acme.example/find", "--auth", "none"];
  const says = /GET, POST, PUT or PATCH; write any other method into the file by hand/;
  for (const method of ["DELETE", "HEAD", "FETCH"]) assert.match((await make(...url, "--method", method)).stderr, says);
  const made = await make(...url, "--method", "patch", "--body", '{"name": "{name}"}');
  assert.equal(made.code, 0, made.stderr);
  assert.equal((parse(written()) as { request: { method: string } }).request.method, "PATCH");
  assert.match((await make("--from-curl", at("asks.sh"))).stderr, /exists already/);
});
