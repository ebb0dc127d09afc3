import type ivm from "isolated-vm";

/** Disposes of an isolate and stops the code in it, as far as V8 can. May be called more than once. */
export function dispose(isolate: ivm.Isolate): void {
  if (!isolate.isDisposed) isolate.dispose();
}
