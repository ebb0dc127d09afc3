import assert from "node:assert/strict";
import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { openTestClient } from "../../src/outbound/http-client.kit.ts";
import { Place } from "./real-servers/place.ts";
import { openRelay } from "./real-servers/relay.ts";
import {
  BEHAVIOURS,
  choosePorts,
  type Expected,
  expectation,
  missingPrograms,
  SERVERS,
} from "./real-servers/servers.ts";

/*
 * Our client against real servers, each configured and started here. For every behaviour: what is read is what the server
 * is known to send, Node's client reads the same, and the connection is used again exactly if it may be.
 */

interface Read {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The fields that our client sends by itself. */
const OUR_FIELDS = { accept: "application/json", "user-agent": "datarun", "accept-encoding": "gzip" };
/** Fields that differ between two replies of one server. */
const CHANGING = new Set(["date", "keep-alive"]);

function readByNode(origin: string, expected: Expected, path: string, ca: string): Promise<Read> {
  const isSecure = origin.startsWith("https:");
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true });
  const { method = "GET", sends } = expected;
  const options = { method, agent, ca, headers: { ...OUR_FIELDS, ...sends } };
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = (isSecure ? secureRequest : plainRequest)(origin + path, options, resolve);
    request.on("error", reject).end(method === "POST" ? "{}" : undefined);
  })
    .then(async (response) => {
      const bytes = Buffer.concat(await response.toArray());
      const { statusCode: status = 0, headers } = response;
      if (status === 302) return readByNode(origin, expected, new URL(headers.location!, origin).pathname, ca);
      const body = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
      return { status, fields: headers, body: body.toString() };
    })
    .finally(() => agent.destroy());
}

function comparable({ status, fields, body }: Read): unknown {
  return {
    status,
    body,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !CHANGING.has(name))),
  };
}

for (const server of SERVERS) {
  const missing = missingPrograms(server);
  const skip = missing.length > 0 && `not installed: ${missing.join(", ")}`;

  test(server.name, { skip }, async (t) => {
    const place = new Place(t);
    const ports = await choosePorts();
    await server.start(place, ports);
    const extraAuthorities = place.authority.cert;
    const { call } = openTestClient(t, { extraAuthorities, limits: { keepAliveMs: 60_000 } });

    for (const behaviour of BEHAVIOURS) {
      const expected = expectation(server, behaviour);
      // The text says why this server cannot behave so.
      if (typeof expected === "string") continue;
      await t.test(behaviour, async (t) => {
        const { method = "GET", path = "/", status = 200, body, fields = {}, sends, port = "plain" } = expected;
        const relay = await openRelay(t, ports[port], expected.injected);
        const origin = `${port.startsWith("tls") ? "https" : "http"}://127.0.0.1:${relay.port}`;
        const read = async (): Promise<Read> => {
          const options = { headers: { ...sends }, answers: [status], redirects: behaviour === "redirect" ? 1 : 0 };
          const content = method === "POST" ? { json: {} } : {};
          const reply = await call(origin, { timeoutMs: 60_000 }).http.request(method, origin + path, {
            ...options,
            ...content,
          });
          return { status: reply.status, fields: { ...reply.headers }, body: reply.text() };
        };

        const first = await read();
        assert.equal(first.status, status);
        if (body !== undefined) assert.equal(first.body, body);
        assert.deepEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, first.fields[name]])), fields);
        if (expected.bytes !== undefined) assert.match(relay.received, expected.bytes);

        if (behaviour === "idle-close") await relay.serverClosed;
        const requests = behaviour === "redirect" ? 4 : 2;
        assert.deepEqual(comparable(await read()), comparable(first));
        assert.equal(relay.connections, expected.reuse === false ? 2 : 1, "connections");
        if (!port.startsWith("tls")) assert.equal(relay.requests, requests, "requests");

        assert.deepEqual(comparable(first), comparable(await readByNode(origin, expected, path, extraAuthorities)));
      });
    }
  });
}
