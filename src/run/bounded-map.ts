/** A map that forgets what was not used for longest. Keys come from callers, so it must not grow without end. */
export class BoundedMap<Value> {
  readonly #max: number;
  readonly #values = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  getOrMake(key: string, make: () => Value): Value {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = make();
      if (this.#values.size >= this.#max) this.#values.delete(this.#values.keys().next().value!);
    } else this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  values(): Iterable<Value> {
    return this.#values.values();
  }
}
