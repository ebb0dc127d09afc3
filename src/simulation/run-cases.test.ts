import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test, type TestContext } from "node:test";
import { createOutboundClient } from "../outbound/http-client.ts";
import type { RunnableSource } from "../run/ports.ts";
import { systemClock } from "../terms/time/clock.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { ACME, runnable, written } from "../../test/rig/acme-source.ts";
import { differences } from "./difference.ts";
import { countReports, renderReport, runCases, type SourceReport } from "./run-cases.ts";

async function ran(t: TestContext, source: RunnableSource): Promise<SourceReport> {
  const parts = { door: createOutboundClient({ clock: systemClock }), clock: systemClock };
  t.after(() => parts.door.close());
  return runCases(source, parts);
}

function failedOf(report: SourceReport): readonly string[] {
  return report.cases.filter(({ passed }) => !passed).map(({ name }) => name);
}

function differencesOf(report: SourceReport): readonly string[] {
  return report.cases.flatMap((each) => each.differences.map(({ at }) => at));
}

test("a source that does what its cases say passes them, and the failures that every vendor can have", async (t) => {
  const report = await ran(t, runnable());
  assert.equal(report.passed, true, renderReport(report));
  const kinds = report.cases.map(({ by }) => by);
  assert.equal(kinds.filter((by) => by === "author").length, 4);
  assert.ok(kinds.filter((by) => by === "runner").length >= 8);
});

test("a source that refuses the made-up credential says that its schema needs an example", async (t) => {
  const signed = ACME.replace(
    "{kind: api_key, header: X-Key, value:",
    "{kind: jwt, algorithm: ES256, claims: {sub: a}, key:",
  );
  const report = await ran(t, runnable(signed));
  assert.equal(report.passed, false);
  assert.match(renderReport(report), /\n {2}note: the source refuses the credential that is made up .*`examples`/);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = JSON.stringify(privateKey.export({ type: "pkcs8", format: "pem" }));
  const mended = await ran(
    t,
    runnable(signed.replace("key: {type: string}}}", `key: {type: string, examples: [${key}]}}}`)),
  );
  assert.equal(mended.passed, true, renderReport(mended));
  assert.deepEqual(mended.warnings, []);
});

test("a request that is not the one expected is shown where it differs", async (t) => {
  const wrong = ACME.replace(
    "path: /people/ada, query: {}",
    "path: /people/eve, query: {born: x}, headers: {X-Key: none}",
  );
  const report = await ran(t, runnable(wrong));
  assert.deepEqual(failedOf(report), ["found"]);
  assert.deepEqual(differencesOf(report), ["request/0/path", "request/0/query/born", "request/0/headers/x-key"]);
  assert.match(renderReport(report), /request\/0\/path: expected "\/people\/eve", found "\/people\/ada"/);
});

test("an output that is not the one expected is shown where it differs", async (t) => {
  const report = await ran(
    t,
    runnable(ACME.replace("output: {id: 1, name: Ada}", "output: {id: 1, name: Eve, more: 2}")),
  );
  assert.deepEqual(differencesOf(report), ["output/name", "output/more"]);
});

test("a wrong outcome is shown with the failure that came instead", async (t) => {
  const report = await ran(
    t,
    runnable(ACME.replace("{status: 404}, expect: {match: false}", "{status: 503}, expect: {match: false}")),
  );
  assert.deepEqual(failedOf(report), ["nobody"]);
  assert.match(renderReport(report), /vendor_5xx/);
});

test("a source without the cases of the gate does not pass", async (t) => {
  const without = ACME.split("\n")
    .filter((line) => !line.includes("nobody") && !line.includes("too short"))
    .join("\n");
  const report = await ran(t, runnable(without));
  assert.equal(report.passed, false);
  assert.deepEqual(report.missing, [
    "a case with no record",
    "a case whose inputs are refused (expect: {failure: input})",
  ]);
});

test("a path of reply.lists that no case has is reported, with the form that it needs if a name has a dot", async (t) => {
  const paths =
    "[service.response.person.name, [service.response, person, phone], [service.response, person, name], a]";
  const xml = ACME.replace(/^match:/m, `reply: {format: xml, lists: ${paths}}\nmatch:`).replace(
    "body: {id: 1, name: Ada}",
    "body: '<service.response><person><name>Ada</name></person></service.response>'",
  );
  assert.ok(xml.includes("service.response><person"), "the case has been replaced");
  const { warnings } = await ran(t, runnable(xml));
  assert.deepEqual(warnings, [
    'reply.lists: no reply of a case has an element service.response.person.name; write it as a list of names: ["service.response","person","name"]',
    'reply.lists: no reply of a case has an element ["service.response","person","phone"]',
    "reply.lists: no reply of a case has an element a",
  ]);
});

const LOGIN = ACME.replace(
  /^auth:.*$/m,
  `auth:
  kind: token_exchange
  request: {method: POST, url: 'https://api.acme.example/login', body: {form: {key: '{{ credentials.key }}'}}}
  token: body.token`,
)
  .replace(
    "request: {method: GET, path: /people/ada, query: {}}\n    reply: {body: {id: 1",
    "reply: [{body: {token: t1}}, {body: {id: 1",
  )
  .replace("name: Ada}}\n    expect", "name: Ada}}]\n    expect")
  .replaceAll("reply: {body: {id: 2, name: Bob}}", "reply: [{body: {token: t1}}, {body: {id: 2, name: Bob}}]")
  .replace("reply: {status: 404}", "reply: [{body: {token: t1}}, {status: 404}]");

test("a source that logs in again after a 401, once, passes its simulated case", async (t) => {
  const report = await ran(t, runnable(LOGIN));
  assert.equal(report.passed, true, renderReport(report));
  assert.ok(report.cases.some(({ name, by }) => by === "runner" && name === "the credential is rejected (401)"));
});

test("a source that asks again and again after a 401 does not pass", async (t) => {
  const reports = written({
    origins: ["https://api.acme.example"],
    cases: [
      {
        name: "found",
        inputs: { name: "ada" },
        reply: [{ body: { token: "t1" } }, { body: { id: 1 } }],
        expect: { match: true },
      },
      { name: "nobody", inputs: { name: "nobody" }, reply: [{ body: {} }, { status: 404 }], expect: { match: false } },
    ],
    run: async ({ http }) => {
      for (let round = 0; ; round += 1) {
        await http.post("https://api.acme.example/login");
        const reply = await http.get("https://api.acme.example/people", { answers: [401, 404] });
        if (reply.status === 404) return null;
        if (reply.status === 200) return reply.json();
        if (round === 2) return reply.json();
      }
    },
  });
  const report = await ran(t, reports);
  const played = report.cases.find(({ name }) => name === "the credential is rejected (401)");
  assert.deepEqual(
    played?.differences.filter(({ at }) => at === "requests"),
    [{ at: "requests", expected: 4, found: 5 }],
  );
});

test("what came of many sources is counted case by case", async (t) => {
  const good = await ran(t, runnable());
  const wrong = await ran(t, runnable(ACME.replace("output: {id: 1, name: Ada}", "output: {id: 2}")));
  const bare = await ran(t, runnable(ACME.slice(0, ACME.indexOf("cases:"))));
  assert.equal(countReports([good], 0), `1 source, ${good.cases.length} cases: all passed`);
  assert.equal(countReports([wrong], 0), `1 source, ${wrong.cases.length} cases: 1 failed`);
  assert.equal(countReports([bare], 0), "1 source, 0 cases: 3 missing");
  assert.equal(
    countReports([good, wrong, bare], 1),
    `3 sources, ${good.cases.length + wrong.cases.length} cases: 1 failed, 3 missing, 1 file that cannot be used`,
  );
});

test("an input that a case misspells is pointed out", async (t) => {
  const report = await ran(t, runnable(ACME.replace("born: '1990-01-01'", "bron: '1990-01-01'")));
  assert.match(report.cases[1]?.warnings[0] ?? "", /bron/);
});

test("a source that shows its credential, in its output or in the log, does not pass", async (t) => {
  const cases = [{ name: "found", inputs: { name: "ada" }, reply: { body: {} }, expect: { match: true } }];
  const common = {
    credentials: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
    origins: ["https://api.acme.example"],
    cases,
  };
  const shows = written({
    ...common,
    run: async ({ credentials, http }) => {
      await http.get("https://api.acme.example/");
      return { echoed: Buffer.from((credentials as { key: string }).key).toString("base64") };
    },
  });
  assert.ok(differencesOf(await ran(t, shows)).includes("output"));
  const logs = written({
    ...common,
    run: async ({ credentials, http, log }) => {
      await http.get("https://api.acme.example/");
      log.info("called", { with: credentials as JsonObject });
      return {};
    },
  });
  assert.ok(differencesOf(await ran(t, logs)).includes("log"));
});

test("a source that guesses where the answer is broken does not pass", async (t) => {
  const guesses = written({
    origins: ["https://api.acme.example"],
    cases: [{ name: "found", inputs: { name: "ada" }, reply: { body: { id: 1 } }, expect: { match: true } }],
    run: async ({ http }) => {
      try {
        return (await http.get("https://api.acme.example/")).json() as object;
      } catch {
        return null;
      }
    },
  });
  const failed = failedOf(await ran(t, guesses));
  assert.equal(failed.length >= 7, true, failed.join(", "));
});

test("more requests than the case has replies for is a difference", async (t) => {
  const twice = written({
    origins: ["https://api.acme.example"],
    cases: [{ name: "found", inputs: { name: "ada" }, reply: { body: { id: 1 } }, expect: { match: true } }],
    run: async ({ http }) => {
      await http.get("https://api.acme.example/a");
      return http.get("https://api.acme.example/b");
    },
  });
  assert.ok(differencesOf(await ran(t, twice)).includes("requests"));
});

test("a redirect to a declared origin is followed to its simulation", async (t) => {
  const text = ACME.replace("[https://api.acme.example]", "[https://api.acme.example, 'https://*.registry.example']")
    .replace("query: {born: '{{ inputs.born }}'}", "redirects: 1")
    .replace(", query: {}", "")
    .replace(
      "reply: {body: {id: 1, name: Ada}}",
      "reply: [{status: 302, headers: {Location: 'https://a.registry.example/x/ada'}}, {body: {id: 1, name: Ada}}]",
    )
    .replace("request: {method: GET, path: /people/ada}", "request: [{path: /people/ada}, {path: /x/ada}]");
  const report = await ran(t, runnable(text));
  assert.deepEqual(failedOf(report), [], renderReport(report));
});

test("a source that leaves the machine nowhere is run as it is", async (t) => {
  const offline = written({
    cases: [{ name: "made", inputs: { name: "ada" }, expect: { match: true, output: { length: 3 } } }],
    run: ({ inputs }) => ({ length: (inputs as { name: string }).name.length }),
  });
  const report = await ran(t, offline);
  assert.deepEqual([report.passed, report.cases.length], [true, 1]);
});

test("differences name the place", () => {
  assert.deepEqual(differences({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }], c: 4 }, "x"), [
    { at: "x/a/1/b", expected: 2, found: 3 },
    { at: "x/c", expected: undefined, found: 4 },
  ]);
  assert.deepEqual(differences({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }, "x", true), []);
});
