import { type Hold, type Json, JsonReading, type JsonLimits } from "../../terms/json.ts";

const BLANK = 0x20;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * A large reply that is read before anybody asks for its value, a stretch at a time, so that nobody waits for all of it: a
 * source asks for it at one go. What cannot be read says so when it is asked for.
 */
export class ReadAhead {
  readonly #reading: JsonReading;
  readonly #giveBack: () => void;
  #problem: unknown = null;

  private constructor(reading: JsonReading, giveBack: () => void) {
    this.#reading = reading;
    this.#giveBack = giveBack;
  }

  /** `null`: it does not look like an object or a list of JSON, and nobody will read it as that. */
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

  /** Reads the next stretch; false once there is no more to do. */
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

/** Behind a byte order mark and blanks. */
function firstOf(bytes: Buffer): number | undefined {
  let at = bytes[0] === 0xef ? 3 : 0;
  while (at < bytes.length && bytes[at]! <= BLANK) at += 1;
  return bytes[at];
}
