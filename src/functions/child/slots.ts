import ivm from "isolated-vm";
import type { Contract } from "../bundled.ts";
import { createUrlAnswers } from "./url-answers.ts";
import { IsolateContract, dispose, IsolateContext, type Slot } from "./isolate-context.ts";

/** The number of runs, each in a fresh context, after which an isolate is replaced. */
const CONTEXTS_MAX = 100;
/** The most idle isolates. Beyond it, the one idle longest is disposed of. */
const IDLE_MAX = 8;
/** An isolate in which runs have left more bytes is not reused: V8 collects no garbage while the next run waits. */
const LEFT_BYTES_MAX = 16 * 1_048_576;

/** The caller that takes the context gets the rejection. */
const never = (): void => {};

interface CompiledCode {
  readonly code: string;
  cached?: ivm.ExternalCopy<ArrayBuffer>;
}

interface CachedFunction extends CompiledCode {
  readonly contract: CompiledCode;
  readonly checks: Slot["checks"];
}

export interface Slots {
  setPrelude(code: string): void;
  addBundle(bundle: string, code: string, contract: Contract | null): void;
  forgetBundle(bundle: string): void;
  /** A fresh context in an idle isolate of that key, or in a new isolate. */
  take(key: string, bundle: string, memoryMb: number): Promise<IsolateContext>;
  /** Prepares the isolate's next context and adds it to the idle ones, or disposes of it. */
  giveBack(slot: Slot): void;
  /** Disposes of all idle isolates. */
  dropIdle(): void;
}

function nothingRuns(): void {}

/**
 * The isolates of this process. Each serves one run at a time. Compiled code is cached, so that a new isolate costs
 * little.
 */
export function createSlots(): Slots {
  const answerAsk = createUrlAnswers();
  let prelude: CompiledCode = { code: "" };
  const bundles = new Map<string, CachedFunction>();
  // In the order of last use.
  const idle: IsolateContext[] = [];

  async function compile(isolate: ivm.Isolate, compiled: CompiledCode, filename: string): Promise<ivm.Script> {
    if (compiled.cached !== undefined) {
      const options: ivm.ScriptInfo = { filename, cachedData: compiled.cached };
      return isolate.compileScript(compiled.code, options);
    }
    const script = await isolate.compileScript(compiled.code, { filename, produceCachedData: true });
    const produced = (script as { cachedData?: ivm.ExternalCopy<ArrayBuffer> }).cachedData;
    if (produced !== undefined) compiled.cached = produced;
    return script;
  }

  async function make(key: string, bundle: string, memoryMb: number): Promise<IsolateContext> {
    const cachedFunction = bundles.get(bundle);
    if (cachedFunction === undefined) throw new Error("the process does not have the bundle");
    let slot: Slot | undefined;
    const isolate = new ivm.Isolate({
      memoryLimit: memoryMb,
      // With this handler, V8 suspends the thread in cases in which it would otherwise abort the whole process.
      onCatastrophicError: (text) => slot?.onLost(text),
    });
    try {
      const [first, second] = await Promise.all([
        compile(isolate, prelude, "datarun:prelude"),
        compile(isolate, cachedFunction, "datarun:function"),
      ]);
      const contract = new IsolateContract(isolate, () =>
        compile(isolate, cachedFunction.contract, "datarun:contract"),
      );
      const { checks } = cachedFunction;
      slot = {
        key,
        isolate,
        prelude: first,
        bundle: second,
        contract,
        checks,
        contexts: 0,
        onLost: nothingRuns,
      };
      const context = new IsolateContext(slot, answerAsk);
      await context.ready;
      return context;
    } catch (thrown) {
      dispose(isolate);
      throw thrown;
    }
  }

  return {
    setPrelude: (code) => {
      prelude = { code };
    },
    addBundle: (bundle, code, contract) => {
      const checks = { inputs: contract?.inputs === true, output: contract?.output === true };
      bundles.set(bundle, { code, contract: { code: contract?.code ?? "" }, checks });
    },
    forgetBundle: (bundle) => void bundles.delete(bundle),
    take: async (key, bundle, memoryMb) => {
      const at = idle.findIndex((context) => context.slot.key === key);
      if (at === -1) return make(key, bundle, memoryMb);
      const context = idle.splice(at, 1)[0]!;
      try {
        await context.ready;
        if (context.leftBytes <= LEFT_BYTES_MAX) return context;
      } catch {
        // The isolate has no memory for another context after its earlier runs.
      }
      dispose(context.slot.isolate);
      return make(key, bundle, memoryMb);
    },
    giveBack: (slot) => {
      if (slot.contexts >= CONTEXTS_MAX) return dispose(slot.isolate);
      slot.onLost = nothingRuns;
      const context = new IsolateContext(slot, answerAsk);
      idle.push(context);
      if (idle.length > IDLE_MAX) dispose(idle.shift()!.slot.isolate);
      void context.ready.then(() => {
        if (context.leftBytes > LEFT_BYTES_MAX && idle.includes(context))
          dispose(idle.splice(idle.indexOf(context), 1)[0]!.slot.isolate);
      }, never);
    },
    dropIdle: () => {
      for (const context of idle.splice(0)) dispose(context.slot.isolate);
    },
  };
}
