import assert from "node:assert/strict";
import { startMock } from "../../src/composition/mock-service.ts";
import { createLog } from "../../src/operate/log.ts";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { createClient, type Reply } from "./client.ts";
import { assertContract } from "./contract.ts";
import { assertDataRun, HEALTHY } from "./run-rules.ts";
import type { ServiceOptions, TestService } from "./service.ts";
import { answers, loadDeclared } from "./sources.ts";

const ACCESS = { token: "token-of-a-mock", workflow: "wfl_of_a_mock" };

/**
 * `datarun mock` in place of the service, for the tests of successes. It has one organization and neither a ledger nor an
 * operator: a test that needs those is declared only if `isMock` is false.
 */
export async function startMockService(t: TestLife, options: ServiceOptions = {}): Promise<TestService> {
  const running = await startMock({
    ...ACCESS,
    host: "127.0.0.1",
    port: 0,
    adminPort: 0,
    project: options.project,
    failureDetails: options.workflow?.failureDetails !== false,
    set: [],
    timeoutMs: undefined,
    log: createLog("error", { write: (line) => assert.fail(line) }),
    sources: loadDeclared([answers(HEALTHY, { ok: true }), ...(options.sources ?? [])]),
  });
  const client = createClient(running.url);
  const only = { ...ACCESS, id: "org_mock", tokenId: "tok_mock" };
  t.after(async () => {
    client.close();
    await running.close();
  });

  function note(method: string, path: string, sources: object | undefined, reply: Reply): Reply {
    assertContract(method, path, reply);
    if (method !== "POST" || reply.statusCode !== 200) return reply;
    const body = reply.json();
    assert.equal((body.config ?? body).mode, "simulated", "every answer says that it is invented");
    if (path === "/data") assertDataRun({ ...sources }, reply);
    return reply;
  }

  const access = { "X-Service-Access-Token": ACCESS.token, "X-Service-Workflow": ACCESS.workflow };
  const service = {
    isMock: true,
    marks: { mode: "simulated" },
    url: running.url,
    adminUrl: running.adminUrl,
    a: only,
    b: only,

    async post(path, body, { as = only, headers = {} } = {}) {
      const sent = { "Content-Type": "application/json", ...(as === null ? {} : access), ...headers };
      const reply = await client.send({ method: "POST", path, headers: sent, body: JSON.stringify(body) });
      return note("POST", path, (body as { config?: { sources?: object } }).config?.sources, reply);
    },
    run(sources, inputs = {}, { config = {}, ...how } = {}) {
      return service.post("/data", { config: { ...config, sources: { ...sources, [HEALTHY]: true } }, inputs }, how);
    },
    async send(method, path, { headers = {}, body } = {}) {
      return note(method, path.split("?")[0]!, undefined, await client.send({ method, path, headers, body }));
    },
  } as TestService;
  return service;
}
