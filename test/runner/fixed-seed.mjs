// Loaded before each test file of an ordinary run: the property tests try the same cases for everybody, so that a commit
// passes or fails alike on every machine. `npm test long`, and a file that is run by itself, try new ones.
import { isMainThread } from "node:worker_threads";

// The service's own threads inherit it, and have no properties to test.
if (isMainThread) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ seed: 20_261_122 });
}
