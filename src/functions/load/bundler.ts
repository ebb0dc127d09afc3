import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { BuildOptions, TransformOptions, TransformResult } from "esbuild";
import { openCpuTime, openRss } from "../process-usage.ts";

export interface BuildLimits {
  /** Processor time in ms, which does not pass faster when other processes use the machine. */
  readonly cpuMs: number;
  /** Elapsed time in ms, for a bundler that waits for ever, and for systems on which processor time cannot be read. */
  readonly withinMs: number;
  readonly memoryBytes: number;
}

/**
 * All are far above what the largest function needs: some two seconds of processor time, which take five seconds on a
 * machine with four times as much work as it can do.
 */
const LIMITS: BuildLimits = { cpuMs: 30_000, withinMs: 300_000, memoryBytes: 1_024 * 1_048_576 };
const CHECK_EVERY_MS = 50;
/** A start bundles one file after another. Later, only changed files are bundled. */
const IDLE_MS = 5_000;

/** The bundler's process ended or was ended during a build. It runs one build at a time, so that build is the cause. */
export class BundlerEnded extends Error {
  override readonly name = "BundlerEnded";
}

let lastBuild: Promise<unknown> = Promise.resolve();
let bundler: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Makes one script with esbuild, which is loaded for the first file to bundle. It runs in its own process until there
 * has been nothing to bundle for a while. If a build crashes that process, exceeds a limit or never finishes, only this
 * build fails; the next one gets a new process. @throws BundlerEnded, and esbuild's own errors, whose `errors` name the
 * problems of the files
 */
export function bundle(options: BuildOptions, limits = LIMITS): Promise<string> {
  const build = lastBuild.then(async () => {
    clearTimeout(idle);
    const esbuild = await import("esbuild");
    const building = withoutEnvironment(() => esbuild.build({ ...options, write: false }));
    const watch = watchBundler(limits);
    try {
      return (await Promise.race([building, watch.ended])).outputFiles[0]!.text;
    } catch (error) {
      if ((error as { errors?: unknown }).errors !== undefined) throw error;
      await esbuild.stop();
      throw error instanceof BundlerEnded
        ? error
        : new BundlerEnded("it makes the bundler exit; is its code nested very deeply?", { cause: error });
    } finally {
      watch.stop();
      idle = setTimeout(() => void esbuild.stop().then(() => (bundler = undefined)), IDLE_MS).unref();
    }
  });
  lastBuild = build.catch(() => {});
  return build;
}

/** Transforms a single file as a part of the current build. */
export async function transform(text: string, options: TransformOptions): Promise<TransformResult> {
  const esbuild = await import("esbuild");
  return withoutEnvironment(() => esbuild.transform(text, options));
}

interface Watch {
  /** Rejects when the build should be aborted. */
  readonly ended: Promise<never>;
  stop(): void;
}

function watchBundler({ cpuMs, withinMs, memoryBytes }: BuildLimits): Watch {
  const rssBytes = openRss(bundler?.pid ?? 0);
  const usedMs = openCpuTime(bundler?.pid ?? 0);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new BundlerEnded("it takes too long")), withinMs);
  const interval = setInterval(() => {
    if (rssBytes() > memoryBytes) reject(new BundlerEnded("it takes too much memory"));
    if (usedMs() > cpuMs) reject(new BundlerEnded("it takes too much processor time"));
  }, CHECK_EVERY_MS);
  return {
    ended,
    stop() {
      clearTimeout(late);
      clearInterval(interval);
    },
  };
}

/**
 * Calls `start` with an empty environment: the first call of esbuild starts its process synchronously, and that process
 * inherits the current environment.
 */
function withoutEnvironment<Started>(start: () => Started): Started {
  const ours = process.env;
  const started = (message: unknown) => {
    bundler = (message as { readonly process: ChildProcess }).process;
  };
  process.env = {};
  subscribe("child_process", started);
  try {
    return start();
  } finally {
    unsubscribe("child_process", started);
    process.env = ours;
  }
}

/** The id of the bundler's process, if it runs. */
export function bundlerPid(): number | undefined {
  return bundler?.pid;
}
