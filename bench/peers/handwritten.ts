import { createHash } from "node:crypto";
import { Ajv } from "ajv";
import fastify from "fastify";
import { Pool } from "undici";

/**
 * What a competent engineer writes in a day: Fastify with a schema and its log, ajv per source, undici `request` with a
 * deadline by AbortSignal, Promise.allSettled.
 */
const origins = process.argv.slice(2);
const pools = origins.map((origin) => new Pool(origin, { connections: 64, keepAliveTimeout: 60_000 }));
const ajv = new Ajv();
const inputs = {
  type: "object",
  properties: { email: { type: "string" }, phone: { type: "string" } },
  required: ["email"],
};
const validators = origins.map(() => ajv.compile(structuredClone(inputs)));
const tokens = new Map([
  [
    createHash("sha256")
      .update(process.env["BENCH_TOKEN"] ?? "")
      .digest("hex"),
    "org_1",
  ],
]);

const app = fastify({ logger: { level: "info" } });

async function callVendor(index: number, sent: Record<string, string>): Promise<unknown> {
  const filtered = Object.fromEntries(
    Object.keys(inputs.properties)
      .filter((name) => name in sent)
      .map((name) => [name, sent[name]]),
  );
  if (!validators[index]!(filtered)) throw new Error("invalid inputs");
  const signal = AbortSignal.timeout(15_000);
  const reply =
    index % 2 === 0
      ? await pools[index]!.request({
          path: `/person?${new URLSearchParams(filtered as Record<string, string>).toString()}`,
          method: "GET",
          signal,
        })
      : await pools[index]!.request({
          path: "/person",
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(filtered),
          signal,
        });
  if (reply.statusCode >= 300) throw new Error(`status ${reply.statusCode}`);
  return reply.body.json();
}

app.post<{ Body: { config: { sources: object }; inputs: Record<string, string> } }>(
  "/data",
  {
    schema: {
      body: {
        type: "object",
        required: ["config"],
        properties: {
          config: { type: "object", required: ["sources"], properties: { sources: { type: "object" } } },
          inputs: { type: "object" },
        },
      },
    },
  },
  async (request, reply) => {
    const startedAt = performance.now();
    const token = request.headers["x-service-access-token"];
    if (typeof token !== "string" || !tokens.has(createHash("sha256").update(token).digest("hex")))
      return reply.code(401).send({ error: "unauthorized" });
    const names = Object.keys(request.body.config.sources);
    const results = await Promise.allSettled(
      names.map(async (_, index) => {
        const callAt = performance.now();
        const output = await callVendor(index, request.body.inputs);
        return { output, tookMs: Math.round(performance.now() - callAt) };
      }),
    );
    const outputs: Record<string, unknown> = {};
    const status: Record<string, unknown> = {};
    results.forEach((result, index) => {
      const name = names[index]!;
      outputs[name] = result.status === "fulfilled" ? result.value.output : {};
      status[name] =
        result.status === "fulfilled"
          ? { success: true, message: "ok", match: true, response_time_ms: result.value.tookMs }
          : { success: false, message: String(result.reason), match: false, response_time_ms: 0 };
    });
    return {
      transaction_id: crypto.randomUUID(),
      config: request.body.config,
      outputs,
      status,
      response_time_ms: Math.round(performance.now() - startedAt),
    };
  },
);
await app.listen({ port: 0, host: "127.0.0.1" });
process.send!({ port: (app.server.address() as { port: number }).port });
