import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { BuildOptions, TransformOptions, TransformResult } from "esbuild";
import { openCpuTime } from "../cpu-time.ts";
import { openRss } from "../rss.ts";

export interface BuildLimits {
  /** Of processor time, which does not pass faster when others use the machine as well. */
  readonly cpuMs: number;
  /** For a bundler that waits for something for ever, and where processor time cannot be read. */
  readonly withinMs: number;
  readonly memoryBytes: number;
}

/**
 * All are far above what the largest function needs: some two seconds of processor time. A machine with four times as
 * much work as it can do takes five for that.
 */
const LIMITS: BuildLimits = { cpuMs: 30_000, withinMs: 300_000, memoryBytes: 1_024 * 1_048_576 };
const LOOK_EVERY_MS = 50;
/** A start bundles files one right after another; after that, only a changed file is bundled. */
const IDLE_MS = 5_000;

/** The bundler ended, or was ended, during a build. It runs one build at a time, so only that one can be the cause. */
export class BundlerEnded extends Error {
  override readonly name = "BundlerEnded";
}

let turn: Promise<unknown> = Promise.resolve();
let bundler: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Makes one script with esbuild, which is loaded when the first file has to be bundled. It runs in its own process
 * until there has been nothing to bundle for a while. If a build crashes that process, makes it grow too large or never
 * finishes, only this build fails; the next gets a new process.
 * @throws BundlerEnded, and what esbuild throws, whose `errors` say what is wrong with the files
 */
export function bundle(options: BuildOptions, limits = LIMITS): Promise<string> {
  const build = turn.then(async () => {
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
        : new BundlerEnded("it ends the bundler; is its code nested very deeply?", { cause: error });
    } finally {
      watch.stop();
      idle = setTimeout(() => void esbuild.stop().then(() => (bundler = undefined)), IDLE_MS).unref();
    }
  });
  turn = build.catch(() => {});
  return build;
}

/** Transforms one file alone, as a part of the current build. */
export async function transform(text: string, options: TransformOptions): Promise<TransformResult> {
  const esbuild = await import("esbuild");
  return withoutEnvironment(() => esbuild.transform(text, options));
}

interface Watch {
  /** Rejects when the build should be given up. */
  readonly ended: Promise<never>;
  stop(): void;
}

function watchBundler({ cpuMs, withinMs, memoryBytes }: BuildLimits): Watch {
  const rssBytes = openRss(bundler?.pid ?? 0);
  const usedMs = openCpuTime(bundler?.pid ?? 0);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new BundlerEnded("it takes too long")), withinMs);
  const looks = setInterval(() => {
    if (rssBytes() > memoryBytes) reject(new BundlerEnded("it takes too much memory"));
    if (usedMs() > cpuMs) reject(new BundlerEnded("it takes too much processor time"));
  }, LOOK_EVERY_MS);
  return {
    ended,
    stop() {
      clearTimeout(late);
      clearInterval(looks);
    },
  };
}

/** The first call starts esbuild's process, synchronously, and that inherits the environment of this moment. */
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

/** The process that bundles, if there is one. */
export function bundlerPid(): number | undefined {
  return bundler?.pid;
}
