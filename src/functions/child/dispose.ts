import type ivm from "isolated-vm";

/** Ends whatever runs in the isolate, as far as V8 can. May be called more than once. */
export function dispose(isolate: ivm.Isolate): void {
  if (!isolate.isDisposed) isolate.dispose();
}
