import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import type { TLSSocket } from "node:tls";
import { createOutboundClient } from "../../src/outbound/http-client.ts";
import { makeOneCall } from "../../src/run/one-call.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../src/sources/runnable.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { Fault } from "../../src/terms/fault.ts";
import type { JsonObject } from "../../src/terms/json/json.ts";
import { issueCertificate, makeAuthority } from "../vendor/certificate.ts";

async function listening(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Runs an example of the catalog as it stands, but for where its vendor is. */
async function runAt(
  t: TestContext,
  file: string,
  moved: Readonly<Record<string, string>>,
  asked: { readonly inputs: JsonObject; readonly credentials: JsonObject },
) {
  let written = readFileSync(new URL(`../../catalog/sources/${file}`, import.meta.url), "utf8");
  for (const [from, to] of Object.entries(moved)) written = written.replaceAll(from, to);
  const source = toRunnable(compileDeclarative(written, file), createSchemas(), "now");
  const door = createOutboundClient({ clock: systemClock });
  t.after(() => door.close());
  const { inputs, credentials } = asked;
  const asks = { source, inputs, entry: { credentials }, organizationId: "org_1", context: "dev", region: "" } as const;
  const { result } = await makeOneCall(asks, { client: door, clock: systemClock, log: () => {} });
  if (result instanceof Fault) throw result;
  const { match, json } = result;
  return { match, output: JSON.parse(String(json)) as unknown };
}

test("a vendor that checks signatures takes ours", async (t) => {
  const key = "00112233445566778899aabbccddeeff";
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const {
        "x-timestamp": time,
        "x-nonce": nonce,
        "x-signature": signature,
        "x-auth-client": client,
      } = request.headers;
      const digest = createHash("sha256").update(body).digest("hex");
      const signed = `${request.method}\n${request.url}\n${String(time)}\n${String(nonce)}\n${digest}`;
      const right = createHmac("sha256", Buffer.from(key, "hex")).update(signed).digest("hex");
      const fresh = Math.abs(Date.now() / 1000 - Number(time)) < 60 && String(nonce).length >= 16;
      response.statusCode = signature === right && fresh && client === "example-client" ? 200 : 401;
      response.end(JSON.stringify({ id: "chk_1", result: "match", score: 1 }));
    });
  };
  const port = await listening(t, createHttpServer(listener));
  const asked = {
    inputs: { first_name: "Ada", last_name: "Éxample", birth_date: "1990-02-28" },
    credentials: { client_id: "example-client", signing_key: key },
  };
  const moved = { "https://api.signed.example": `http://127.0.0.1:${port}` };
  const answer = await runAt(t, "example_signed/identity_check.yaml", moved, asked);
  assert.deepEqual(answer, { match: true, output: { check_id: "chk_1", score: 1 } });
  const wrong = { ...asked, credentials: { ...asked.credentials, signing_key: "ff" } };
  await assert.rejects(runAt(t, "example_signed/identity_check.yaml", moved, wrong), {
    code: "source.credential_rejected",
  });
});

test("a vendor that demands a client certificate gets the credential's, and refuses calls without one", async (t) => {
  const authority = makeAuthority();
  const server = issueCertificate({ names: ["127.0.0.1"], authority });
  const client = issueCertificate({ names: ["client"], authority });
  const stranger = issueCertificate({ names: ["client"] });
  const heard: string[] = [];
  const vendor = createHttpsServer(
    { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      heard.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
      response.setHeader("content-type", "text/xml");
      response.end(
        "<Envelope><Body><ReportResponse><Subject><Name>Ada</Name></Subject><Score>7</Score></ReportResponse></Body></Envelope>",
      );
    },
  );
  const port = await listening(t, vendor as unknown as Server);
  const moved = { "https://soap.bureau.example": `https://127.0.0.1:${port}` };
  const asked = (identity: { readonly cert: string; readonly key: string }) => ({
    inputs: { national_id: "ab-1234" },
    credentials: { certificate: identity.cert, private_key: identity.key, authority: authority.cert, subscriber: "S" },
  });
  const answer = await runAt(t, "example_mtls/credit_report.yaml", moved, asked(client));
  assert.deepEqual(answer, { match: true, output: { subject: "Ada", score: 7 } });
  await assert.rejects(runAt(t, "example_mtls/credit_report.yaml", moved, asked(stranger)));
  assert.deepEqual(heard, ["client"]);
});

test("a vendor with a login gets a login, then the question with its token", async (t) => {
  const heard: string[] = [];
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      heard.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
      response.end(
        JSON.stringify(
          request.url === "/oauth2/v1/token" ? { access_token: "t&1", expires_in: 60 } : { report: { id: "rep_1" } },
        ),
      );
    });
  };
  const port = await listening(t, createHttpServer(listener));
  const at = `http://127.0.0.1:${port}`;
  const moved = {
    "[https://login.bureau.example, https://api.bureau.example]": `['${at}']`,
    "https://login.bureau.example": at,
    "https://api.bureau.example": at,
  };
  const answer = await runAt(t, "example_login/consumer_report.yaml", moved, {
    inputs: { first_name: "Ada", last_name: "Example", postcode: "zz1" },
    credentials: { username: "u&x=1", password: "p+w", client_id: "id", client_secret: "s" },
  });
  assert.deepEqual(answer, { match: true, output: { report_id: "rep_1" } });
  assert.deepEqual(heard, [
    "POST /oauth2/v1/token Basic aWQ6cw== grant_type=password&username=u%26x%3D1&password=p%2Bw",
    'POST /consumer/v2/reports Bearer t&1 {"consumer":{"firstName":"Ada","lastName":"Example","postcode":"ZZ1"}}',
  ]);
});
