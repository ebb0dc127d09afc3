import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lockDirectory } from "../ledger/journal/directory-lock.ts";
import { findAddress, forgetAddress, recordAddress } from "./service-address.ts";

test("a service is found while it runs, and the address left by a killed one is ignored", (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-address-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  assert.equal(findAddress(dataDir), null, "there never was one");

  mkdirSync(join(dataDir, "ledger"));
  const unlock = lockDirectory(join(dataDir, "ledger"));
  assert.equal(findAddress(dataDir), null, "it does not listen yet");
  recordAddress(dataDir, "http://0.0.0.0:8080");
  assert.equal(findAddress(dataDir), "http://127.0.0.1:8080");
  recordAddress(dataDir, "http://[::]:8080");
  assert.equal(findAddress(dataDir), "http://[::1]:8080");

  assert.deepEqual(readdirSync(dataDir).sort(), ["ledger", "service.json"]);
  writeFileSync(join(dataDir, "service.json"), "");
  assert.equal(findAddress(dataDir), null, "the power failed, and the next one does not listen yet");
  recordAddress(dataDir, "http://[::]:8080");

  unlock();
  assert.equal(findAddress(dataDir), null, "it was killed");
  forgetAddress(dataDir);
  assert.equal(findAddress(dataDir), null);
});
