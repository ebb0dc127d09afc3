import assert from "node:assert/strict";
import { test } from "node:test";
import { draftCaptured } from "./captured-request.ts";
import { ImportProblem } from "./import-problem.ts";
import type { Imported } from "./imported.ts";
import { readCurl } from "./read-curl.ts";
import { readHar } from "./read-har.ts";

const NO_CHOICES = { fixed: new Set<string>(), examples: {}, mask: () => "masked" };

function ofCurl(command: string, fixed: readonly string[] = []): Imported {
  return draftCaptured(readCurl(command, "request.sh"), { ...NO_CHOICES, fixed: new Set(fixed) });
}

function ofHar(url: string, request: object = {}): Imported {
  const entries = [{ request: { method: "GET", url, ...request }, response: { status: 200 } }];
  const [entry] = readHar(JSON.stringify({ log: { entries } }), "log.har");
  return draftCaptured(entry!.request(), NO_CHOICES);
}

/** Asserts that an import is refused with a message that contains none of its values. */
function assertRefused(draft: () => Imported, says: RegExp, values: RegExp, what: string): void {
  assert.throws(
    draft,
    (error) => error instanceof ImportProblem && says.test(error.message) && !values.test(error.message),
    what,
  );
}

const URL = "https://api.acme.example/people";
const KEY = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0.c2lnbmF0dXJl";
const POSTED = { method: "POST", postData: { mimeType: "application/x-www-form-urlencoded" } };

test("a value that is sent without a name is refused, wherever it is, and not repeated", () => {
  const NAMELESS = /is a value without a name \(keep it with --fixed\)/;
  const TEXT = /the body is a text and not a form \(write it into the file by hand, as text under body\)/;
  for (const [command, says] of [
    [`curl '${URL}?name=Ada&${KEY}'`, NAMELESS],
    [`curl '${URL}?name=Ada&${KEY}&${KEY}'`, NAMELESS],
    [`curl '${URL}?name=Ada&${KEY}&${KEY}=1'`, NAMELESS],
    [`curl '${URL}?name=Ada' -d 'a=1&${KEY}'`, NAMELESS],
    [`curl '${URL}?name=Ada' -d '${KEY}=='`, NAMELESS],
    [`curl '${URL}?name=Ada' -d '${KEY}'`, TEXT],
    [`curl '${URL}?name=Ada' -d 'Lovelace'`, TEXT],
    [`curl '${URL}?name=Ada' -d 'Ada Lovelace, 10 Dec 1815'`, TEXT],
    [`curl '${URL}?name=Ada' -d a=1 --data-urlencode 'Ada Lovelace'`, NAMELESS],
    [`curl '${URL}?name=Ada&42'`, NAMELESS],
  ] as const)
    assertRefused(() => ofCurl(command), says, /eyJ|Lovelace|42/i, command);
  assertRefused(() => ofHar(`${URL}?name=Ada&${KEY}`), NAMELESS, /eyJ/i, "the query of an archive");
  const posted = (text: string) => () => ofHar(URL, { ...POSTED, postData: { ...POSTED.postData, text } });
  assertRefused(posted(KEY), TEXT, /eyJ/i, "the body of an archive");
  const params = [{ name: KEY, value: "" }];
  const listed = () => ofHar(URL, { ...POSTED, postData: { ...POSTED.postData, params } });
  assertRefused(listed, NAMELESS, /eyJ/i, "the fields of an archive");
});

test("a word without a value stays, and so does any other part that the author names", () => {
  const { request, notes } = ofCurl(`curl '${URL}?name=Ada&flag&filter[name]=&sort-by='`);
  assert.deepEqual(request.query, { name: "{{ inputs.name }}", flag: "", "filter[name]": "", "sort-by": "" });
  assert.ok(notes.includes("Parameters without a value, which are kept: flag, filter[name], sort-by."));
  assert.deepEqual(ofCurl(`curl '${URL}?name=Ada&v20240101'`, ["v20240101"]).request.query["v20240101"], "");
  assertRefused(
    () => ofCurl(`curl '${URL}/{id}' --json '{"address": {"city": "x"}}'`, ["address"]),
    /nothing in the request has the name "address"/,
    /x"/,
    "a name of no value",
  );
  const body = ofCurl(`curl '${URL}/{id}' -d ping`, ["ping"]).request.body;
  assert.deepEqual(body, { form: { ping: "" } });
});

test("a name that could be a value is refused, and not repeated", () => {
  const NAME = /a name (?:in the|of a) .* may be a value \(keep the name and its value with --fixed/;
  for (const command of [
    `curl '${URL}?Ada+Lovelace=1'`,
    `curl '${URL}?name=Ada' -d '10 Dec 1815, salary=5000'`,
    `curl '${URL}?1815-12-10=x'`,
    `curl '${URL}?name=Ada' --json '{"people": {"Ada Lovelace 1815-12-10": {"age": 36}}}'`,
    `curl '${URL}?name=Ada' --json '[{"${KEY}": 1}]'`,
    `curl '${URL}?name=Ada' -H '${KEY}: 1'`,
    `curl '${URL}?name=Ada' -H 'Sec-${KEY}: 1'`,
    `curl '${URL}?eyJ${"a".repeat(60)}=x'`,
  ])
    assertRefused(() => ofCurl(command), NAME, /Lovelace|1815|eyJ/i, command);
  const usual = `curl '${URL}?$top=5&filter[name]=x' -H 'X-RapidAPI-Key: k' --json '{"@type": "a", "soap:Body": {"iso8601": "b"}, "customfield_10023": "c"}'`;
  assert.deepEqual(
    ofCurl(usual).request.inputs.map(({ name }) => name),
    ["top", "filter_name", "type", "iso8601", "customfield_10023"],
  );
  const media = `curl '${URL}?name=Ada' -H 'Content-Type: Ada Lovelace+json' -d '{}'`;
  assertRefused(() => ofCurl(media), /a body of this type cannot be imported/, /Lovelace/i, media);
});

test("an archive has no placeholders, because all its values are real", () => {
  const text = JSON.stringify({ owner: "<Lovelace>", city: "{Marylebone}" });
  const postData = { mimeType: "application/json", text };
  const url = `${URL}/%7BBabbage%7D/:menabrea/x{Boole}?q=%3CSomerville%3E`;
  const { request } = ofHar(url, { method: "POST", postData });
  assert.equal(request.address, `${URL}/{{ inputs.people_id }}/{{ inputs.path_id }}/{{ inputs.path_id_2 }}`);
  assert.deepEqual(
    request.inputs.map(({ name }) => name),
    ["people_id", "path_id", "path_id_2", "q", "owner", "city"],
  );
  assert.ok(request.inputs.every(({ example }) => example === "masked"));
});

test("what stands in a command like a placeholder but could be a value gives no input its name", () => {
  const names = (command: string) => ofCurl(command).request.inputs.map(({ name }) => name);
  assert.deepEqual(names(`curl '${URL}/:number/{since}/<PAGE>?a={size}&b={{ lang }}&c=<companyName>'`), [
    "number",
    "since",
    "page",
    "size",
    "lang",
    "company_name",
  ]);
  for (const value of [
    ":secretpw",
    "<Lovelace>",
    "<Ada Lovelace>",
    "{Ada Lovelace}",
    "{c0a80101-1234-4321-9876-abc}",
  ]) {
    assert.deepEqual(names(`curl '${URL}?q=${value}'`), ["q"], value);
    assert.deepEqual(names(`curl '${URL}' --json '{"q": "${value}"}'`), ["q"], value);
    if (!value.startsWith(":")) assert.deepEqual(names(`curl '${URL}/${value}'`), ["people_id"], value);
  }
});

test("no part of a path that may be a value is kept beside an input or gives one its name", () => {
  assert.equal(ofCurl(`curl '${URL}/GB{number}.json'`).request.address, `${URL}/GB{{ inputs.number }}.json`);
  const beside = `curl '${URL}/Lovelace1815-{number}'`;
  assertRefused(() => ofCurl(beside), /the text beside an input in its path may be a value/, /Lovelace/i, beside);
  assert.deepEqual(
    ofCurl(`curl '${URL}/Ada%20Lovelace/12345678'`).request.inputs.map(({ name }) => name),
    ["people_id", "path_id"],
  );
});
