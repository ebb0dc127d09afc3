import { hash } from "node:crypto";
import type { MemoryReservation } from "../terms/concurrency/byte-budget.ts";
import { canonicalJson, isJsonObject, readJsonExactly } from "../terms/json/json.ts";
import type { FunctionHost, SourceCatalog } from "./ports.ts";

/**
 * The outcomes of a run's calls, for its shadow run. A call is identified by its source and the inputs that the source
 * takes; the same call may occur several times, in order. Inputs are not kept, only their hash.
 */
export class RecordedCalls {
  readonly #memory: MemoryReservation;
  readonly #ofShadows: MemoryReservation;
  readonly #catalog: SourceCatalog;
  /** `null`: the outcome is not known, because the function did not wait for it. */
  readonly #outcomes = new Map<string, (string | null)[]>();
  #isComplete = true;
  #isSealed = false;

  /**
   * @param memory of the organization
   * @param ofShadows of its shadow runs, which is limited apart
   * @param catalog has the versions of sources that the run uses
   */
  constructor(memory: MemoryReservation, ofShadows: MemoryReservation, catalog: SourceCatalog) {
    this.#memory = memory;
    this.#ofShadows = ofShadows;
    this.#catalog = catalog;
  }

  /** Whether there was memory for everything. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Passes everything to the host of the run, and keeps the outcomes of calls. */
  record(host: FunctionHost): FunctionHost {
    return {
      pipe: (name, json) => host.pipe(name, json),
      reserveBytes: (bytes) => {
        // The result of the run is kept until it is compared.
        this.reserve(bytes);
        return host.reserveBytes(bytes);
      },
      log: (level, message) => host.log(level, message),
      runSource: async (source, inputsJson) => {
        const keep = this.#begin(source, inputsJson);
        const reply = await host.runSource(source, inputsJson);
        keep(reply.json);
        return reply;
      },
    };
  }

  /** The outcome of a call of the shadow run; `null` if the run has not made it. */
  take(source: string, inputsJson: string): string | null {
    const key = this.#keyOf(source, inputsJson);
    return key === null ? null : (this.#outcomes.get(key)?.shift() ?? null);
  }

  reserve(bytes: number): boolean {
    const hasMemory = this.#isComplete && !this.#memory.isTight;
    const fits = hasMemory && this.#memory.reserve(bytes) && this.#ofShadows.reserve(bytes);
    if (!fits) this.drop();
    return fits;
  }

  /** Call this when the run has ended. Outcomes that arrive later are not kept. */
  seal(): void {
    this.#isSealed = true;
  }

  /** Keeps nothing, now and later. */
  drop(): void {
    this.#isComplete = false;
    this.#outcomes.clear();
    this.#memory.release();
    this.#ofShadows.release();
  }

  #begin(source: string, inputsJson: string): (json: string) => void {
    const key = this.#isComplete ? this.#keyOf(source, inputsJson) : null;
    if (key === null || !this.reserve(key.length)) return () => {};
    const outcomes = this.#outcomes.get(key) ?? [];
    this.#outcomes.set(key, outcomes);
    const at = outcomes.push(null) - 1;
    return (json) => {
      if (!this.#isSealed && this.reserve(Buffer.byteLength(json))) outcomes[at] = json;
    };
  }

  #keyOf(source: string, inputsJson: string): string | null {
    try {
      const inputs = readJsonExactly(inputsJson);
      const given = isJsonObject(inputs) ? inputs : {};
      const filtered = this.#catalog.find(source)?.filter(given) ?? given;
      return hash("sha256", canonicalJson([source, filtered]), "base64");
    } catch {
      return null;
    }
  }
}
