import type ivm from "isolated-vm";

/** Ends whatever runs in it, as far as V8 can. Twice is as good as once. */
export function dispose(isolate: ivm.Isolate): void {
  if (!isolate.isDisposed) isolate.dispose();
}
