import { type Hold, type Json, JsonReading, type JsonLimits } from "../../terms/json.ts";

const BLANK = 0x20;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * A large reply that is parsed before the source asks for its value, one part at a time, so that others need not wait
 * for the whole of it: the source itself would parse it in one go. An error is thrown only when the value is asked for.
 */
export class ReadAhead {
  readonly #reading: JsonReading;
  readonly #giveBack: () => void;
  #problem: unknown = null;

  private constructor(reading: JsonReading, giveBack: () => void) {
    this.#reading = reading;
    this.#giveBack = giveBack;
  }

  /** Returns `null` if it does not look like a JSON object or list, because then nobody will ask for its value. */
  static of(bytes: Buffer, limits: JsonLimits, hold: Hold, drop: (bytes: number) => void): ReadAhead | null {
    const first = firstOf(bytes);
    if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return null;
    let held = 0;
    const counted: Hold = (wanted) => {
      if (!hold(wanted)) return false;
      held += wanted;
      return true;
    };
    return new ReadAhead(new JsonReading(bytes, limits, counted), () => drop(held));
  }

  /** Parses the next part. Returns false once it has finished. */
  next(): boolean {
    try {
      return this.#reading.next();
    } catch (problem) {
      this.#problem = problem;
      this.#giveBack();
      return false;
    }
  }

  /** @throws JsonError */
  get value(): Json {
    if (this.#problem !== null) throw this.#problem;
    return this.#reading.value;
  }
}

/** The first byte after a byte order mark and whitespace. */
function firstOf(bytes: Buffer): number | undefined {
  let at = bytes[0] === 0xef ? 3 : 0;
  while (at < bytes.length && bytes[at]! <= BLANK) at += 1;
  return bytes[at];
}
