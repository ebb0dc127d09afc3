// Necessary although modules are strict: bundling makes a script of them, which is sloppy without this line. Then an
// author could get our functions from the stack of an error.
"use strict";

import { createBridge, type Post } from "./bridge.ts";
import { installBuffers, installIntl } from "./native-memory.ts";
import { installConsole } from "./console.ts";
import { isArray, jsonBytes, now, stringify, textOf } from "./intrinsics.ts";
import { ERROR_CHARACTERS, JSON_BYTES } from "./bridge-limits.ts";
import { parseExactly } from "./parse-exactly.ts";
import { createSteadyClock } from "./steady-clock.ts";
import { installTimers } from "./timers.ts";
import type { Ask, Pause } from "./url.ts";
import { installWeb } from "./web.ts";

interface Loaded {
  readonly run?: unknown;
  readonly [name: string]: unknown;
}

/** What the process outside calls for one run in one fresh context: a command with at most two arguments. */
export type Enter = (
  what: "describe" | "check" | "compile" | "start" | "reply" | "refuse" | "wake",
  first?: string | number,
  second?: string,
) => void;

const PAUSE_MS = 5;

/** Returns a function that blocks the isolate's own thread. The author's code cannot reach what it uses. */
function createPause(): Pause {
  const { wait } = Atomics;
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  return () => void wait(neverNotified, 0, 0, PAUSE_MS);
}

/**
 * Prepares a fresh context: removes what could bypass the limits, adds what authors expect of a JavaScript runtime, and
 * lets the author's code reach `post` and `ask` only through closures that count. `seed` is for this context's random
 * bytes. The bundle runs as a script after this and registers itself once, by `__take`.
 */
export function open(post: Post, ask: Ask, seed: string): Enter {
  const scope = globalThis as unknown as Record<string, unknown>;
  const pause = createPause();
  delete scope.WebAssembly;
  delete scope.SharedArrayBuffer;
  delete scope.Atomics;
  installBuffers(scope);
  installIntl();

  const clock = createSteadyClock(now);
  const bridge = createBridge(post);
  const wakeTimers = installTimers(scope, clock, (delayMs) => post("alarm", delayMs), bridge.raise);
  installConsole(scope, bridge.log);
  installWeb(scope, clock, ask, pause, seed);

  let evaluate: (() => Loaded) | undefined;
  function take(given: () => Loaded): void {
    evaluate = given;
    delete scope.__take;
  }
  scope.__take = take;

  function load(): Loaded {
    if (evaluate === undefined) throw new TypeError("the function was not loaded");
    // An empty file has no exports. It is reported like an empty declaration.
    const exports = (evaluate() as Loaded | undefined) ?? {};
    return (exports.default ?? exports) as Loaded;
  }

  async function start(argument: string): Promise<void> {
    try {
      const declaration = load();
      const given = parseExactly(argument) as Record<string, unknown>;
      const answer: unknown = await (declaration.run as (call: object) => unknown)({
        inputs: given.inputs,
        extra: given.extra,
        config: given.config,
        context: given.context,
        region: given.region,
        transaction_id: given.transaction_id,
        run: bridge.run,
        pipe: bridge.pipe,
        log: bridge.log,
      });
      finish(answer);
    } catch (thrown) {
      bridge.raise(thrown);
    }
  }

  function finish(answer: unknown): void {
    if (answer === undefined || answer === null) return bridge.end("done", null);
    if (typeof answer !== "object" || isArray(answer))
      return bridge.end("contract", "the function must return an object or nothing");
    let json: string | undefined;
    try {
      json = stringify(answer);
    } catch (thrown) {
      return bridge.end("contract", "the answer cannot be said in JSON", textOf(thrown, ERROR_CHARACTERS));
    }
    if (json === undefined || json[0] !== "{") return bridge.end("contract", "the answer is not an object in JSON");
    if (jsonBytes(json, JSON_BYTES) > JSON_BYTES) return bridge.end("contract", "the answer is larger than 1 MB");
    bridge.end("done", json);
  }

  function describe(): void {
    try {
      const declaration = load();
      const { id, title, description, inputs, output, timeout_ms, memory_mb, cases, run } = declaration;
      finish({ id, title, description, inputs, output, timeout_ms, memory_mb, cases, run: typeof run });
    } catch (thrown) {
      bridge.raise(thrown);
    }
  }

  /** Checks that the declaration can be evaluated, without reading its schemas. */
  function check(): void {
    try {
      if (typeof load().run !== "function") throw new TypeError("it does not declare run");
      finish(null);
    } catch (thrown) {
      bridge.raise(thrown);
    }
  }

  return (what, first, second) => {
    if (what === "start" || what === "compile") void start(first as string);
    else if (what === "reply") bridge.reply(first as number, second as string);
    else if (what === "refuse") bridge.refuse(first as number, second as string);
    else if (what === "wake") wakeTimers();
    else if (what === "check") check();
    else describe();
  };
}
