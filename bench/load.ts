import { Pool } from "undici";

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LoadResult {
  readonly runs: number;
  readonly failures: number;
  readonly seconds: number;
  /** Sorted, milliseconds. In an open loop they count from when a request should have left. */
  readonly latenciesMs: Float64Array;
}

/** As many requests as there are connections, each followed by the next: what it costs when it is busy. */
export async function closedLoop(target: Target, connections: number, seconds: number): Promise<LoadResult> {
  const pool = new Pool(new URL(target.url).origin, { connections, keepAliveTimeout: 60_000 });
  const latencies: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const sentAt = performance.now();
        if (!(await send(pool, target))) failures += 1;
        latencies.push(performance.now() - sentAt);
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  await pool.close();
  return { runs: latencies.length, failures, seconds: took, latenciesMs: Float64Array.from(latencies).sort() };
}

/** Requests leave at random moments of a given average rate, whether or not earlier ones have been answered: what a caller waits. */
export async function openLoop(target: Target, runsPerSecond: number, seconds: number): Promise<LoadResult> {
  const pool = new Pool(new URL(target.url).origin, { connections: 256, keepAliveTimeout: 60_000 });
  const latencies: number[] = [];
  let failures = 0;
  const under: Promise<void>[] = [];
  const startedAt = performance.now();
  let dueAt = startedAt;
  while (dueAt < startedAt + seconds * 1000) {
    dueAt += (-Math.log(1 - Math.random()) * 1000) / runsPerSecond;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const due = dueAt;
    under.push(
      send(pool, target).then((ok) => {
        if (!ok) failures += 1;
        latencies.push(performance.now() - due);
      }),
    );
  }
  await Promise.all(under);
  const took = (performance.now() - startedAt) / 1000;
  await pool.close();
  return { runs: latencies.length, failures, seconds: took, latenciesMs: Float64Array.from(latencies).sort() };
}

async function send(pool: Pool, target: Target): Promise<boolean> {
  const reply = await pool.request({
    path: new URL(target.url).pathname,
    method: "POST",
    headers: target.headers,
    body: target.body,
  });
  const text = await reply.body.text();
  return reply.statusCode === 200 && !text.includes('"success":false');
}

export function quantile({ latenciesMs }: LoadResult, share: number): number {
  return latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? Number.NaN;
}
