/**
 * `structuredClone` for the values that an isolate can have. Functions and symbols are refused; cycles are preserved.
 */
export function structuredCloneOf(value: unknown): unknown {
  return copy(value, new Map());
}

function copy(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value === "function" || typeof value === "symbol")
    throw new TypeError("structuredClone: cannot be cloned");
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const made = start(value, seen);
  seen.set(value, made);
  if (value instanceof Map) {
    for (const [key, entry] of value) (made as Map<unknown, unknown>).set(copy(key, seen), copy(entry, seen));
  } else if (value instanceof Set) {
    for (const entry of value) (made as Set<unknown>).add(copy(entry, seen));
  } else if (Array.isArray(value) || isPlain(value, made)) {
    for (const key of Object.keys(value))
      define(made as object, key, copy((value as Record<string, unknown>)[key], seen));
  }
  return made;
}

function start(value: object, seen: Map<object, unknown>): unknown {
  if (Array.isArray(value)) return Array.from({ length: value.length });
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (value instanceof DataView)
    return new DataView(copy(value.buffer, seen) as ArrayBuffer, value.byteOffset, value.byteLength);
  if (ArrayBuffer.isView(value)) return copyView(value as Uint8Array, seen);
  if (value instanceof Error) return copyError(value);
  if (value instanceof WeakMap || value instanceof WeakSet || value instanceof Promise)
    throw new TypeError("structuredClone: cannot be cloned");
  return {};
}

function copyView(value: Uint8Array, seen: Map<object, unknown>): unknown {
  const Kind = value.constructor as new (buffer: ArrayBuffer, offset: number, length: number) => unknown;
  return new Kind(copy(value.buffer, seen) as ArrayBuffer, value.byteOffset, value.length);
}

function copyError(value: Error): Error {
  const kinds: Record<string, ErrorConstructor> = {
    EvalError,
    RangeError,
    ReferenceError,
    SyntaxError,
    TypeError,
    URIError,
  };
  const Kind = Object.hasOwn(kinds, value.name) ? kinds[value.name]! : Error;
  const made = new Kind(value.message);
  if (typeof value.stack === "string") made.stack = value.stack;
  return made;
}

function isPlain(value: object, made: unknown): boolean {
  return made !== null && Object.getPrototypeOf(made) === Object.prototype && !(value instanceof Error);
}

/** Sets an own property of any name, including `__proto__`. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
