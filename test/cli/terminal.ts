import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import { findVerbs } from "../../src/admin/find-verbs.ts";
import type { SourceListing } from "../../src/admin/ports.ts";
import { osActor } from "../../src/admin/cli/os-actor.ts";
import { type CliDeps, runCli } from "../../src/admin/cli/run-cli.ts";
import { COMMANDS } from "../../src/composition/commands/commands.ts";
import { BilledCalls } from "../../src/credentials/billed-calls.ts";
import { createCredentialFinder } from "../../src/credentials/find-credential.ts";
import { openRootKeys } from "../../src/credentials/root-keys.kit.ts";
import { createSealer } from "../../src/credentials/sealer.ts";
import { openJournalReader, type JournalReader } from "../../src/ledger/read/journal-reader.ts";
import { createSchemas } from "../../src/terms/schema/author-schemas.ts";
import { toRunnable } from "../../src/sources/runnable.ts";
import { openStore } from "../../src/storage/store.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { assertPrinted } from "../rig/verb-results.ts";

/** What a command printed and how it ended. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Typed {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A shell in an empty folder: each call is one command with the real verbs on a real store. */
export interface Terminal {
  readonly dataDir: string;
  run(args: readonly string[], typed?: Typed): Promise<Printed>;
  /** With `--json`; fails the test unless the command succeeds. */
  json<Result>(args: readonly string[], typed?: Typed): Promise<Result>;
}

export function terminal(t: TestContext): Terminal {
  const dataDir = join(mkdtempSync(join(tmpdir(), "datarun-cli-")), "data");
  t.after(() => rmSync(join(dataDir, ".."), { recursive: true }));
  const run = async (args: readonly string[], { stdin = "", env = {} }: Typed = {}): Promise<Printed> => {
    const [stdout, stderr] = [new Collected(), new Collected()];
    const io = { stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr, env };
    const code = await runCli(args, io, commandsOn(dataDir));
    await assertPrinted(args, stdout.text);
    return { code, stdout: stdout.text, stderr: stderr.text };
  };
  return {
    dataDir,
    run,
    json: async <Result>(args: readonly string[], typed?: Typed) => {
      const printed = await run([...args, "--json"], typed);
      if (printed.code !== 0) throw new Error(`${args.slice(0, 2).join(" ")}: ${printed.stderr}`);
      return JSON.parse(printed.stdout) as Result;
    },
  };
}

/** The parts that commands work with, over the embedded store of one folder. */
export function commandsOn(dataDir: string): CliDeps {
  return {
    verbs: findVerbs(),
    version: async () => "v1.2.3",
    lasting: COMMANDS,
    open: async (place, _needs, note) => {
      const store = await openStore({ dataDir: place.dataDir ?? dataDir, clock: systemClock });
      const keyStore = { ...store.credentials, ...store.keys };
      const keys = async () => {
        const rootKeys = await openRootKeys({ variable: undefined, directory: dataDir, store: store.keys });
        return { store: keyStore, rootKeys, sealer: createSealer({ store: keyStore, rootKeys, clock: systemClock }) };
      };
      const sealer = async () => (await keys()).sealer;
      let reader: JournalReader | undefined;
      const openJournal = () => (reader ??= openJournalReader({ dir: join(dataDir, "ledger") }));
      return {
        given: {
          clock: systemClock,
          actor: osActor(),
          note,
          store: async () => store.admin,
          sources: async () => SOURCES,
          // What these open is the command line's own; `function-verbs.test.ts` runs the whole of it.
          functions: notHere,
          storedVersions: notHere,
          service: notHere,
          projectFolder: notHere,
          authoring: notHere,
          sealer,
          keys,
          ledger: async () => openJournal(),
          ledgersHere: async () => [{ place: "journal", open: async () => openJournal() }],
          copyStore: notHere,
          backUpStore: notHere,
          restoreStore: notHere,
          drainLedger: async () => ({ sent: 0 }),
          region: () => "local",
          replyBytesMax: () => 10_485_760,
          finder: async () =>
            createCredentialFinder({
              store: store.credentials,
              sealer: await sealer(),
              billedCalls: new BilledCalls({ counts: store.callCounts, clock: systemClock }),
              clock: systemClock,
            }),
        },
        close: async () => {
          reader?.close();
          await store.close();
        },
      };
    },
  };
}

function notHere(): never {
  throw new Error("this terminal has no project and no service");
}

const runnable = [
  {
    id: "acme__people",
    title: "People",
    charge: "per_call" as const,
    inputs: { type: "object", properties: {} },
    credentials: {
      type: "object",
      properties: { api_key: { type: "string", minLength: 4 }, port: { type: "integer" } },
      required: ["api_key"],
      additionalProperties: false,
    },
    run: () => null,
  },
  {
    id: "acme__loose",
    title: "Takes any field",
    inputs: { type: "object", properties: {} },
    credentials: { type: "object", properties: { api_key: { type: "string" } } },
    run: () => null,
  },
  { id: "acme__open", title: "Open data", inputs: { type: "object", properties: {} }, run: () => null },
].map((declaration) => toRunnable(declaration, createSchemas(), "now"));

const SOURCES: SourceListing = {
  ids: () => runnable.map(({ id }) => id).sort(),
  find: (id) => runnable.find((source) => source.id === id),
  placeOf: (id) => ({
    file: `${id}.ts`,
    from: "project",
    package: null,
    proof: null,
    isOn: true,
    texts: async () => ({ content: "{}", source: {} }),
  }),
  isBroken: () => false,
};

class Collected extends Writable {
  text = "";
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
