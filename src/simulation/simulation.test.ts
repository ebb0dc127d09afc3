import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createDoor } from "../outbound/door.ts";
import { faultOfStatus } from "../outbound/exchange/vendor-fault.ts";
import { createPlayedDoor } from "../outbound/played-door.ts";
import { VendorReply } from "../outbound/exchange/reply.ts";
import { makeCall } from "../run/call.kit.ts";
import type { RunnableSource } from "../run/ports.ts";
import type { HttpOptions } from "../sdk/http.ts";
import type { SourceDeclaration } from "../sdk/source.ts";
import { compileDeclarative } from "../sources/declarative/compile-declarative.ts";
import { toRunnable } from "../sources/runnable.ts";
import { createSchemas } from "../terms/author-schemas.ts";
import { systemClock } from "../terms/clock.ts";
import { FakeClock } from "../terms/clock.kit.ts";
import { asFault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import { isDeclaredOrigin } from "../terms/origins.ts";
import { differences } from "./difference.ts";
import { countReports, renderReport, runCases, type SourceReport } from "./run-cases.ts";
import { createSimulatedVendors } from "./simulated-vendors.ts";
import { startVendorSimulator } from "./vendor-simulator.ts";

const ACME = `
id: acme__people
title: People
inputs: {type: object, required: [name], properties: {name: {type: string, minLength: 2}, born: {type: string}}}
credentials: {type: object, required: [key], properties: {key: {type: string}}}
origins: [https://api.acme.example]
auth: {kind: api_key, header: X-Key, value: '{{ credentials.key }}'}
request: {url: 'https://api.acme.example/people/{{ inputs.name }}', query: {born: '{{ inputs.born }}'}}
match: {record: body.id, no_record: 'status == \`404\`'}
map: {id: body.id, name: body.name}
output: {type: object, required: [id], properties: {id: {type: integer}}}
limits: {rate: [{per: source, max: 1, every: 1d}]}
cases:
  - name: found
    inputs: {name: ada}
    request: {method: GET, path: /people/ada, query: {}}
    reply: {body: {id: 1, name: Ada}}
    expect: {match: true, output: {id: 1, name: Ada}}
  - {name: another, inputs: {name: bob, born: '1990-01-01'}, reply: {body: {id: 2, name: Bob}}, expect: {match: true, includes: {id: 2}}}
  - {name: nobody, inputs: {name: nobody}, reply: {status: 404}, expect: {match: false}}
  - {name: too short, inputs: {name: a}, expect: {failure: input, field: name}}
`;

const reading = {
  makeReply: (status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) =>
    new VendorReply(status, headers, bytes, { depthMax: 64, keysPerObjectMax: 10_000 }, null),
  faultOfStatus,
};

function runnable(text = ACME): RunnableSource {
  return toRunnable(compileDeclarative(text, "acme.yaml"), createSchemas(), "now");
}

function written(
  declaration: Omit<SourceDeclaration, "id" | "title" | "inputs"> & { inputs?: object },
): RunnableSource {
  const inputs = { type: "object", properties: { name: { type: "string" } } };
  return toRunnable({ id: "acme__people", title: "People", inputs, ...declaration }, createSchemas(), "now");
}

async function ran(t: TestContext, source: RunnableSource): Promise<SourceReport> {
  const parts = { door: createDoor({ clock: systemClock }), clock: systemClock };
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

test("a source that logs in again after a 401, once, passes the case that is played of it", async (t) => {
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

test("a redirect to a declared origin is followed to where that one is played", async (t) => {
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

// ---- simulation ----------------------------------------------------------------------------------------------------

const isSource = (id: string) => ["acme__people", "bell__phone"].includes(id);

function simulate(inputs: JsonObject, clock = new FakeClock(), source = runnable()) {
  const door = createPlayedDoor({ clock, player: createSimulatedVendors(clock, isSource) });
  const call = makeCall({ id: source.id, rawInputs: inputs, startedAt: clock.now() });
  call.takeInputs(source.filter(inputs));
  const http = door.httpFor(source, call);
  const options: HttpOptions = { answers: [404] };
  const reply = http
    .get("https://api.acme.example/people/x", options)
    .then((answer) => ({
      status: answer.status,
      body: answer.bytes().length === 0 ? null : (answer.json() as unknown),
    }))
    .catch((thrown: unknown) => ({ fault: asFault(thrown, "source.adapter_raised").code }));
  return { reply, call, clock };
}

test("a simulated call is answered by the case with its inputs", async () => {
  assert.deepEqual(await simulate({ name: "bob", born: "1990-01-01" }).reply, {
    status: 200,
    body: { id: 2, name: "Bob" },
  });
  assert.deepEqual(await simulate({ name: "nobody", more: 1 }).reply, { status: 404, body: null });
});

test("of several cases with the same inputs the one that shows no failure answers", async () => {
  const first = "cases:\n  - {name: refused, inputs: {name: ada}, reply: {status: 401}, expect: {failure: credential}}";
  assert.deepEqual(await simulate({ name: "ada" }, new FakeClock(), runnable(ACME.replace("cases:", first))).reply, {
    status: 200,
    body: { id: 1, name: "Ada" },
  });
});

test("inputs of no case get the record of the case that shares most of them", async () => {
  assert.deepEqual(await simulate({ name: "zed" }).reply, { status: 200, body: { id: 1, name: "Ada" } });
  assert.deepEqual(await simulate({ name: "zed", born: "1990-01-01" }).reply, {
    status: 200,
    body: { id: 2, name: "Bob" },
  });
});

test("magic inputs make the vendor misbehave, named at the top, for one source, or as a value", async () => {
  const failures = {
    vendor_5xx: "source.vendor_5xx",
    vendor_4xx: "source.vendor_4xx",
    rate_limited: "source.rate_limited",
    credential: "source.credential_rejected",
    malformed: "source.contract",
    connection_lost: "source.connection_lost",
  };
  for (const [magic, code] of Object.entries(failures)) {
    assert.deepEqual(await simulate({ name: "ada", simulate: magic }).reply, { fault: code });
    assert.deepEqual(await simulate({ name: "ada", simulate: { acme__people: magic } }).reply, { fault: code });
    assert.deepEqual(await simulate({ name: `simulate:${magic}` }).reply, { fault: code });
  }
  assert.deepEqual(await simulate({ name: "ada", simulate: { bell__phone: "timeout" } }).reply, {
    status: 200,
    body: { id: 1, name: "Ada" },
  });
  for (const wrong of ["no_recrd", "", 1, true, { acme__people: "no_recrd" }])
    assert.deepEqual(await simulate({ name: "ada", simulate: wrong }).reply, { fault: "source.input_invalid" });
  for (const wrong of [{ acme__peple: "timeout" }, { acme__people: "slow", nobody__at_all: "slow" }, { "": "slow" }])
    assert.deepEqual(await simulate({ name: "ada", simulate: wrong }).reply, { fault: "source.input_invalid" });
  assert.deepEqual(await simulate({ name: "simulate:timeot" }).reply, { fault: "source.input_invalid" });
  assert.deepEqual(await simulate({ name: "ada", simulate: null }).reply, {
    status: 200,
    body: { id: 1, name: "Ada" },
  });
  assert.deepEqual(await simulate({ name: "ada", simulate: "no_record" }).reply, { status: 404, body: null });
});

test("a simulated vendor that never answers costs its deadline, and a slow one two seconds", async () => {
  const hung = simulate({ name: "ada", simulate: "timeout" });
  await hung.clock.advance(10_000);
  assert.deepEqual(await hung.reply, { fault: "source.timeout" });
  const slow = simulate({ name: "ada", simulate: "slow" });
  let settled = false;
  void slow.reply.then(() => (settled = true));
  await slow.clock.advance(1_999);
  assert.equal(settled, false);
  await slow.clock.advance(1);
  assert.deepEqual(await slow.reply, { status: 200, body: { id: 1, name: "Ada" } });
});

test("a source without cases cannot be simulated, and says so", async () => {
  const bare = runnable(ACME.slice(0, ACME.indexOf("cases:")));
  assert.deepEqual(await simulate({ name: "ada" }, new FakeClock(), bare).reply, { fault: "source.contract" });
});

test("a call that has ended, and an origin that is not declared, reach no simulated vendor either", async () => {
  const clock = new FakeClock();
  const door = createPlayedDoor({ clock, player: createSimulatedVendors(clock, isSource) });
  const source = runnable();
  const call = makeCall({ startedAt: clock.now() });
  call.end();
  await assert.rejects(door.httpFor(source, call).get("https://api.acme.example/"), { code: "source.stopped" });
  const other = door.httpFor(source, makeCall({ startedAt: clock.now() }));
  await assert.rejects(other.get("https://evil.example/"), { code: "source.adapter_raised" });
});

test("the simulator plays all vendors of a project to any client", async (t) => {
  const simulator = await startVendorSimulator({ sources: [runnable()], clock: systemClock, ...reading });
  t.after(() => simulator.close());
  assert.deepEqual(simulator.hosts, ["api.acme.example"]);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${simulator.url}${path}`, { headers });
    return [reply.status, await reply.text()];
  };
  assert.deepEqual(await get("/"), [200, '{"vendors":["/api.acme.example"]}']);
  assert.deepEqual(await get("/api.acme.example/people/bob?born=1990-01-01"), [200, '{"id":2,"name":"Bob"}']);
  assert.deepEqual(await get("/api.acme.example/people/nobody"), [404, ""]);
  assert.equal((await get("/api.acme.example/other/a/b"))[0], 404);
  assert.equal((await get("/nowhere.example/"))[0], 404);
  for (const wrong of [
    "/people/zed",
    "/people/bob",
    "/people/bob?bron=1990-01-01",
    "/people/bob?born=1990-01-01&x=1",
  ]) {
    const [status, text] = await get(`/api.acme.example${wrong}`);
    assert.equal(status, 404, wrong);
    assert.match(String(text), /"GET \/people\/bob\?born=1990-01-01"/);
  }
  assert.equal((await get("/api.acme.example/people/bob", { "x-datarun-simulate": "vendor_5xx" }))[0], 503);
  const misspelt = await get("/api.acme.example/people/bob", { "x-datarun-simulate": "vendor_5x" });
  assert.equal(misspelt[0], 400);
  assert.match(String(misspelt[1]), /vendor_5x.*"values":\["no_record"/);
  assert.equal((await get("/api.acme.example/people/bob?born=simulate:rate_limited"))[0], 429);
  assert.deepEqual(await get("/api.acme.example/people/bob", { "x-datarun-simulate": "no_record" }), [404, ""]);
  await assert.rejects(get("/api.acme.example/people/bob", { "x-datarun-simulate": "connection_lost" }));
});

test("a played vendor tells requests apart by their bodies, and looks at no credential", async (t) => {
  const file = `id: acme__checks
title: Checks
inputs: {type: object, properties: {name: {type: string}}}
credentials: {type: object, properties: {user: {type: string}, key: {type: string}}, required: [user, key]}
origins: ['https://api.acme.example']
request:
  method: POST
  url: https://api.acme.example/accounts/{{ credentials.user }}/checks
  query: {key: '{{ credentials.key }}'}
  body: {json: {name: '{{ inputs.name }}', sent_by: {user: '{{ credentials.user }}'}}}
match: {record: body.id, no_record: body.none}
cases:
  - {name: nobody, inputs: {name: nobody}, reply: {body: {none: true}}, expect: {match: false}}
  - {name: ada, inputs: {name: ada}, reply: {body: {id: 1}}, expect: {match: true}}
`;
  const reports = written({
    origins: ["https://poll.example"],
    cases: [
      {
        name: "waits",
        inputs: { name: "ada" },
        reply: [{ status: 202, body: {} }, { body: { state: "PENDING" } }, { body: { state: "DONE" } }],
        expect: { match: true },
      },
    ],
    run: async ({ http }) => {
      await http.post("https://poll.example/reports", { form: { who: "ada" } });
      while ((await http.get("https://poll.example/reports/1")).json().state !== "DONE");
      return { done: true };
    },
  });
  const simulator = await startVendorSimulator({ sources: [runnable(file), reports], clock: systemClock, ...reading });
  t.after(() => simulator.close());
  const post = async (path: string, body: string, type = "application/json") => {
    const reply = await fetch(`${simulator.url}${path}`, { method: "POST", body, headers: { "content-type": type } });
    return [reply.status, await reply.json()];
  };
  const mine = "/api.acme.example/accounts/me/checks?key=mine";
  assert.deepEqual(await post(mine, '{"sent_by": {"user": "me"}, "name": "ada"}'), [200, { id: 1 }]);
  assert.deepEqual(await post(mine, '{"name": "nobody", "sent_by": {"user": "me"}}'), [200, { none: true }]);
  for (const body of [
    '{"name": "eve", "sent_by": {"user": "me"}}',
    '{"name": "ada"}',
    '{"name": "ada", "sent_by": {"user": "me"}, "x": 1}',
    "ada",
  ])
    assert.equal((await post(mine, body))[0], 404, body);
  assert.equal(
    (await post("/api.acme.example/accounts/me/checks", '{"name": "ada", "sent_by": {"user": "me"}}'))[0],
    404,
  );
  assert.equal((await post("/poll.example/reports", "who=eve", "application/x-www-form-urlencoded"))[0], 404);
  assert.deepEqual(await post("/poll.example/reports", "who=ada", "application/x-www-form-urlencoded"), [202, {}]);
  const states = [];
  for (let count = 0; count < 4; count += 1)
    states.push(await (await fetch(`${simulator.url}/poll.example/reports/1`)).json());
  assert.deepEqual(
    states,
    ["PENDING", "DONE", "PENDING", "DONE"].map((state) => ({ state })),
  );
});

test("differences name the place", () => {
  assert.deepEqual(differences({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }], c: 4 }, "x"), [
    { at: "x/a/1/b", expected: 2, found: 3 },
    { at: "x/c", expected: undefined, found: 4 },
  ]);
  assert.deepEqual(differences({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }, "x", true), []);
});

test("a pattern covers the hosts below it and not the name itself", () => {
  assert.equal(isDeclaredOrigin("https://a.x.example", ["https://*.x.example"]), true);
  for (const origin of ["https://x.example", "http://a.x.example", "https://ax.example", "https://a.x.example.evil"]) {
    assert.equal(isDeclaredOrigin(origin, ["https://*.x.example"]), false, origin);
  }
});
