import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { blocksOf, steady, type Block } from "../rig/page-reader.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const GENERATORS = join(ROOT, "client-generators/node_modules/.bin");
const MARK = "-- the next block --";

/** The service, where `npm install` puts it. It is on the ports of the test unless the page chooses others. */
const DATARUN = `#!/bin/sh
case "$*" in *--port*) set -- "$@" ;; mock*) set -- "$@" --port "$PORT" --admin-port "$ADMIN_PORT" ;; esac
exec node ${ROOT}bin/datarun.mjs "$@"
`;

/** Finds the service, and the pinned generators. Like the real one, it hands no signal on to what it has started. */
const NPX = `#!/bin/sh
name="$1"; shift
case "$name" in
  datarun) node_modules/.bin/datarun "$@" ;;
  *) ${GENERATORS}/"$name" "$@" ;;
esac
exit $?
`;

export interface Following {
  /** Where the commands are typed. Files of other blocks can be written there before. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of 8070 and 8071. */
  readonly ports: readonly [string, string];
  /** Commands that cannot be run here. */
  readonly without?: readonly string[];
  /** What has to be true when the last command is through, and what they have started is still there. */
  readonly afterwards?: () => Promise<void>;
}

/**
 * Types all commands of a page into one shell, one block after the other, and compares what each prints with the block
 * of output behind it. Returns the number of comparisons. Whatever the commands have started ends with the test.
 */
export async function followPage(
  t: TestContext,
  page: string,
  { folder, env = {}, ports, without = [], afterwards }: Following,
): Promise<number> {
  const [bin, installed] = [join(folder, ".bin"), join(folder, "node_modules/.bin")];
  for (const [where, name, text] of [
    [bin, "npx", NPX],
    [bin, "npm", "#!/bin/sh\n"],
    [bin, "pip", "#!/bin/sh\n"],
    [installed, "datarun", DATARUN],
  ] as const) {
    mkdirSync(where, { recursive: true });
    writeFileSync(join(where, name), text);
    chmodSync(join(where, name), 0o755);
  }
  const blocks = onPorts(blocksOf(page), ports);
  const typed = blocks.filter(({ language, text }) => language === "sh" && !without.includes(text.trim()));
  const script = typed.map(({ text }) => `${text}echo; echo '${MARK}'`).join("\n");
  const [PORT, ADMIN_PORT] = ports;
  const child = spawn("bash", ["-eu", "-c", script], {
    cwd: folder,
    detached: true,
    env: { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter), PORT, ADMIN_PORT, ...env },
  });
  // With everything that it has started, and only that.
  const end = () => {
    try {
      process.kill(-child.pid!, "SIGTERM");
    } catch {
      // It has ended already.
    }
  };
  t.after(end);
  let [out, err] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (err += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  assert.equal(code, 0, `${out}\n${err}`);
  await afterwards?.();
  end();

  const printed = out.split(MARK);
  let compared = 0;
  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    if (before === undefined || !typed.includes(before) || !/^(?:json|text)$/.test(block.language)) continue;
    const expected = steady(block.text);
    const actual = steady(printed[typed.indexOf(before)]!);
    assert.ok(actual.endsWith(expected), `${page} shows\n${expected}\nbut it is\n${actual}`);
    compared += 1;
  }
  return compared;
}

function onPorts(blocks: readonly Block[], [port, adminPort]: readonly [string, string]): readonly Block[] {
  return blocks.map((block) => ({ ...block, text: block.text.replaceAll("8070", port).replaceAll("8071", adminPort) }));
}

export async function freePorts(): Promise<[string, string]> {
  const servers = [createServer(), createServer()];
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))));
  const ports = servers.map((server) => String((server.address() as AddressInfo).port));
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports as [string, string];
}
