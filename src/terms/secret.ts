import { inspect } from "node:util";

const HIDDEN = "[secret]";

/**
 * A value that must not be shown. It prints, logs and serialises as `[secret]`; only `reveal()`, which is easy to
 * search for, returns it.
 */
export class Secret<Value> {
  readonly #value: Value;
  constructor(value: Value) {
    this.#value = value;
  }
  reveal(): Value {
    return this.#value;
  }
  toString(): string {
    return HIDDEN;
  }
  toJSON(): string {
    return HIDDEN;
  }
  [inspect.custom](): string {
    return HIDDEN;
  }
}
