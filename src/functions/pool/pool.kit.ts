import { setTimeout as sleep } from "node:timers/promises";
import type { FunctionHost } from "../../run/ports.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { preparePrelude } from "../load/bundle-cache.ts";
import { type Bundle, hashOf } from "../bundled.ts";
import { createPool, type Pool, type PoolOptions } from "./pool.ts";
import type { PoolStats } from "./function-process.ts";
import type { FunctionsLog, LogFields } from "../ports.ts";
import { isolateKey } from "./running.ts";

/** The result of one run. */
export interface Tried {
  readonly json: string | null | undefined;
  readonly thrown: unknown;
  readonly tookMs: number;
  readonly calls: readonly { readonly source: string; readonly inputs: string }[];
  readonly pipes: readonly { readonly name: string; readonly json: string }[];
  readonly logs: readonly string[];
}

export interface TryOptions {
  readonly organizationId?: string;
  readonly simulated?: boolean;
  readonly limitMs?: number;
  readonly memoryMb?: number;
  readonly isShadow?: boolean;
  readonly argument?: object;
  /** Called at the start of each call, with the number of calls in progress. */
  readonly onCall?: (underWay: number) => void;
}

export interface PoolRig {
  readonly pool: Pool;
  readonly lines: LogFields[];
  /** Runs a function given as the text of its `run`, or of a whole object if it starts with a brace. */
  attempt(text: string, options?: TryOptions): Promise<Tried>;
  /**
   * Waits for a condition that should soon be true, and fails when it is not. The runs that a test waits for need
   * deadlines that outlast a busy machine: one that passes before a process is ready never runs.
   */
  waitUntil(holds: (stats: PoolStats) => boolean): Promise<void>;
  /** Waits until no run is in a process or queued, and a spare is ready. */
  settled(): Promise<void>;
  /** Waits until this many runs are in processes. */
  running(runs: number): Promise<void>;
  /** The bundle that `attempt` makes of that text. */
  bundleOf(text: string): Bundle;
}

/** Long enough for any machine. */
const WITHIN_MS = 60_000;
const prelude = preparePrelude(undefined);

/**
 * A pool with real processes. A source named `wait_300` answers after that many milliseconds, `bytes_5000` with a text
 * of that many characters, and `never` not at all.
 */
export async function startPool(
  t: { after(close: () => Promise<void>): void },
  options: Partial<PoolOptions> = {},
): Promise<PoolRig> {
  const lines: LogFields[] = [];
  const log: FunctionsLog = {
    info: (fields) => void lines.push(fields),
    warn: (fields) => void lines.push(fields),
    error: (fields) => void lines.push(fields),
  };
  const pool = createPool({ clock: systemClock, log, prelude, ...options });
  t.after(() => pool.close());
  await pool.ready();

  async function attempt(text: string, options: TryOptions = {}): Promise<Tried> {
    const { organizationId = "org_a", limitMs = 5_000, memoryMb = 64, argument = {} } = options;
    const bundle = bundleOf(text);
    const calls: Tried["calls"][number][] = [];
    const pipes: Tried["pipes"][number][] = [];
    const logs: string[] = [];
    let underWay = 0;
    const host: FunctionHost = {
      runSource: async (source, inputs) => {
        calls.push({ source, inputs });
        options.onCall?.((underWay += 1));
        const wait = /^wait_(\d+)$/.exec(source);
        if (wait !== null) await sleep(Number(wait[1]));
        underWay -= 1;
        if (source === "never") await new Promise(() => {});
        const size = /^bytes_(\d+)$/.exec(source);
        const output = size === null ? `{"echo":${inputs}}` : `{"text":"${"x".repeat(Number(size[1]))}"}`;
        const json = `{"success":true,"match":true,"message":"","output":${output},"response_time_ms":1}`;
        return { json, release: () => {} };
      },
      reserveBytes: () => true,
      pipe: (name, json) => void pipes.push({ name, json }),
      log: (_, message) => void logs.push(message),
    };
    const startedAt = performance.now();
    let json: string | null | undefined;
    let thrown: unknown;
    try {
      json = await pool.run(
        {
          what: "start",
          bundle,
          organizationId,
          isolate: isolateKey(organizationId, bundle.hash, options.simulated),
          memoryMb,
          deadlineAt: systemClock.now() + limitMs,
          timeoutMs: limitMs,
          isShadow: options.isShadow ?? false,
          argument: JSON.stringify({ inputs: {}, extra: {}, config: {}, context: "dev", ...argument }),
        },
        host,
      );
    } catch (error) {
      thrown = error;
    }
    return { json, thrown, tookMs: performance.now() - startedAt, calls, pipes, logs };
  }

  async function waitUntil(holds: (stats: PoolStats) => boolean): Promise<void> {
    const end = performance.now() + WITHIN_MS;
    while (!holds(pool.stats())) {
      if (performance.now() > end) throw new Error(`it did not come about: ${JSON.stringify([pool.stats(), lines])}`);
      await sleep(10);
    }
  }

  return {
    pool,
    lines,
    attempt,
    bundleOf,
    running: (runs) => waitUntil((stats) => stats.active >= runs),
    settled: () =>
      waitUntil(
        ({ processes, ready, assigned, active, queued }) =>
          active === 0 && queued === 0 && processes === ready && processes === assigned + 1,
      ),
    waitUntil,
  };
}

function bundleOf(text: string): Bundle {
  const declaration = text.startsWith("{") ? text : `{ run: ${text} }`;
  const code = `__take(function () { return { default: ${declaration} }; });`;
  return { code, hash: hashOf(code) };
}
