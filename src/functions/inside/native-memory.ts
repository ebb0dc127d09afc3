import { apply, toText } from "./intrinsics.ts";

const { construct } = Reflect;
const { defineProperty, getOwnPropertyNames, getPrototypeOf } = Object;
const Native = ArrayBuffer;

/** Bytes per object: the largest measured size, rounded up. */
const FORMAT_OF_DATES_BYTES = 40_000;
const OTHER_BYTES = 10_000;
/** Bytes per character of a segmented text: a copy of the text, and its word boundaries. */
const UNIT_BYTES = 8;

type Method = (this: object, ...given: unknown[]) => object;
type CountBytes = <Value extends object>(value: Value, bytes: number) => Value;

/**
 * Counts the objects of `Intl` in the memory of the run. Their data lies outside the heap, and V8 counts it in no limit
 * and no statistics. So each object gets a buffer of about its size, which V8 counts and which lives as long as the
 * object.
 */
export function installIntl(): void {
  const buffers = new WeakMap<object, ArrayBuffer>();
  // The author's code may replace the methods of the prototype.
  const set = buffers.set.bind(buffers);
  const get = buffers.get.bind(buffers);
  const countBytes: CountBytes = (value, bytes) => {
    set(value, new Native(bytes));
    return value;
  };
  for (const name of getOwnPropertyNames(Intl)) countConstructor(name, countBytes);

  // V8 copies the text, and again for each iteration.
  const countIterations = (segments: object): void => {
    replace(segments, Symbol.iterator, (native) => {
      return function iterator() {
        return countBytes(apply(native, this, []), get(this)?.byteLength ?? OTHER_BYTES);
      };
    });
  };
  let isFirst = true;
  replace(Intl.Segmenter.prototype, "segment", (native) => {
    return function segment(text) {
      const given = toText(text);
      const segments = apply(native, this, [given]) as object;
      // The prototype can be reached only through an instance, and creating one takes time that most runs can save.
      if (isFirst) countIterations(getPrototypeOf(segments) as object);
      isFirst = false;
      return countBytes(segments, OTHER_BYTES + UNIT_BYTES * given.length);
    };
  });
}

function countConstructor(name: string, countBytes: CountBytes): void {
  const native = (Intl as unknown as Record<string, unknown>)[name];
  if (typeof native !== "function" || native.prototype === undefined) return;
  const bytes = name === "DateTimeFormat" ? FORMAT_OF_DATES_BYTES : OTHER_BYTES;
  const changed = {
    value: new Proxy(native, {
      construct: (_, given, target) => countBytes(construct(native, given, target) as object, bytes),
      // Some constructors may be called without `new`.
      apply: (_, self, given) => countBytes(apply(native, self, given) as object, bytes),
    }),
    writable: true,
    configurable: true,
  };
  defineProperty(native.prototype, "constructor", changed);
  defineProperty(Intl, name, changed);
}

function replace(owner: object, name: string | symbol, change: (native: Method) => Method): void {
  const native = (owner as Record<string | symbol, Method>)[name]!;
  defineProperty(owner, name, { value: change(native), writable: true, configurable: true });
}

/**
 * Removes resizable buffers. V8 counts their bytes in no limit and no statistics, so one could fill the process's
 * memory, and no figure would show which run it belongs to. Other buffers are unchanged.
 */
export function installBuffers(scope: Record<string, unknown>): void {
  const Fixed = new Proxy(Native, {
    construct: (_, [length, options]: [unknown, { readonly maxByteLength?: unknown } | undefined], target) => {
      if (options?.maxByteLength !== undefined)
        throw new TypeError("ArrayBuffer: resizable buffers are not available here");
      return construct(Native, [length], target) as object;
    },
  });
  delete (Native.prototype as Partial<ArrayBuffer>).resize;
  defineProperty(Native.prototype, "constructor", { value: Fixed, writable: true, configurable: true });
  defineProperty(scope, "ArrayBuffer", { value: Fixed, writable: true, configurable: true });
}
