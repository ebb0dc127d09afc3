const { construct } = Reflect;
const { defineProperty } = Object;
const Native = ArrayBuffer;

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
