import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import { runCli } from "../../src/admin/cli/run-cli.ts";
import { COMMANDS } from "../../src/composition/commands/commands.ts";
import { openVerbs } from "../../src/composition/verb-needs/terminal-needs.ts";
import type { TestLife } from "../vendor/scripted-vendor.ts";
import { assertPrinted } from "../rig/verb-results.ts";

class Collected extends Writable {
  text = "";
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/**
 * A shell in a project folder, with the verbs and all they work with as the command itself opens them. Where the types for
 * editors are not wanted, a new source takes half of the time: they are of the whole catalog.
 */
export function shell(t: TestLife, folder: string, dataDir = temporaryDataDir(t), { writesTypes = true } = {}) {
  const open: typeof openVerbs = async (...what) => {
    const opened = await openVerbs(...what);
    return writesTypes ? opened : { ...opened, given: { ...opened.given, writeTypes: async () => [] } };
  };
  const run = async (args: readonly string[], typed = "", isTTY = false) => {
    const [stdout, stderr] = [new Collected(), new Collected()];
    const stdin = Object.assign(Readable.from([Buffer.from(typed)]), { isTTY });
    const all = [...args, "--project", folder, "--data-dir", dataDir];
    const code = await runCli(
      all,
      { stdin, stdout, stderr, env: {} },
      { verbs: findVerbs(), lasting: COMMANDS, open, version: async () => "v1" },
    );
    await assertPrinted(args, stdout.text);
    return { code, stdout: stdout.text, stderr: stderr.text };
  };
  const json = async (args: readonly string[]) => JSON.parse((await run([...args, "--json"])).stdout);
  return { run, json, dataDir };
}

function temporaryDataDir(t: TestLife): string {
  const dataDir = mkdtempSync(join(tmpdir(), "datarun-data-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}
