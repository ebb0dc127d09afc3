import { ClientConnection } from "./client-connection.ts";

export interface Target {
  readonly port: number;
  /** PEM of who vouches for it; left out: it speaks plain HTTP. */
  readonly authority?: string;
  /** One whole HTTP request. */
  readonly request: Buffer;
  /** An answer with a smaller body is not an answer. */
  readonly bodyBytesMin: number;
}

/** Requests to one target and what came of them. */
export class Load {
  readonly #target: Target;
  readonly #idle: ClientConnection[] = [];
  readonly #all = new Set<ClientConnection>();
  /** Answers, good or not. */
  runs = 0;
  failures = 0;
  firstFailure: string | null = null;

  constructor(target: Target) {
    this.#target = target;
  }

  /** One request on a connection that is free, or on a new one. Never rejects. */
  async run(): Promise<void> {
    const { request, bodyBytesMin } = this.#target;
    const connection = this.#takeIdle() ?? this.#connect();
    try {
      const { status, bodyBytes } = await connection.send(request);
      if (status !== 200 || bodyBytes < bodyBytesMin) this.#failed(`status ${status}, ${bodyBytes} bytes`);
      if (!connection.closed) this.#idle.push(connection);
    } catch (error) {
      this.#failed((error as Error).message);
    }
    this.runs += 1;
  }

  /** Without those that the peer has closed meanwhile: what is sent on one of them is never answered. */
  #takeIdle(): ClientConnection | undefined {
    let connection = this.#idle.pop();
    while (connection?.closed === true) connection = this.#idle.pop();
    return connection;
  }

  #connect(): ClientConnection {
    const connection = new ClientConnection(this.#target.port, this.#target.authority);
    this.#all.add(connection);
    return connection;
  }

  #failed(reason: string): void {
    this.failures += 1;
    this.firstFailure ??= reason;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }
}

/**
 * As many requests at once as there are connections, each followed by the next until it is stopped: what a run costs when
 * the peer is busy.
 */
export function startClosedLoop(load: Load, connections: number): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = Array.from({ length: connections }, async () => {
    while (!stopping.signal.aborted) await load.run();
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

/** Up to this long before a request is due the process sleeps; timers are no more exact than that. */
const AWAKE_MS = 1.5;

/**
 * Requests leave at random moments of an average rate, whether or not earlier ones have been answered. Each latency counts
 * from the moment its request was due, so that a peer that stalls cannot hide it. Resolves to milliseconds, sorted.
 */
export async function openLoop(load: Load, runsPerSecond: number, seconds: number): Promise<Float64Array> {
  const latencies: number[] = [];
  const underWay: Promise<void>[] = [];
  const until = performance.now() + seconds * 1000;
  let dueAt = performance.now() + AWAKE_MS;
  while (dueAt < until) {
    await reach(dueAt);
    const due = dueAt;
    underWay.push(load.run().then(() => void latencies.push(performance.now() - due)));
    dueAt += (-Math.log(1 - Math.random()) * 1000) / runsPerSecond;
  }
  await Promise.all(underWay);
  return Float64Array.from(latencies).sort();
}

async function reach(at: number): Promise<void> {
  const sleepMs = at - performance.now() - AWAKE_MS;
  if (sleepMs > 0) await new Promise((resolve) => setTimeout(resolve, sleepMs));
  while (performance.now() < at) await new Promise(setImmediate);
}

export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
