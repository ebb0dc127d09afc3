import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const GENERATORS = join(ROOT, "client-generators");
const CALLERS = fileURLToPath(new URL("callers", import.meta.url));

const TYPED = join(CALLERS, "typed");

/** How a stranger's project is compiled. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    module: "nodenext",
    types: ["node"],
    skipLibCheck: true,
  },
};

/** One error of the compiler. */
export interface Refusal {
  readonly file: string;
  readonly line: number;
  readonly says: string;
}

/** A folder in which somebody generates a client from `openapi.json` and writes code that uses it. */
export class CallersFolder implements Disposable {
  readonly folder: string;

  constructor(holding: "callers" | "typed" | "empty") {
    // Inside the checkout, so that `openapi-fetch` is found.
    mkdirSync(join(ROOT, ".cache"), { recursive: true });
    this.folder = mkdtempSync(join(ROOT, ".cache/callers-"));
    // Callers of clients that the service itself generates are in a folder of their own.
    const filter = (path: string) => path !== TYPED;
    if (holding === "callers") cpSync(CALLERS, this.folder, { recursive: true, filter });
    if (holding === "typed") cpSync(TYPED, this.folder, { recursive: true });
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(this.folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  }

  /** Runs a command of the pinned generators, or their TypeScript's `tsc`. */
  run(command: string, args: readonly string[]): Promise<{ readonly code: number | null; readonly printed: string }> {
    const env = { ...process.env, PATH: `${join(GENERATORS, "node_modules/.bin")}:${process.env["PATH"]}` };
    return ended(spawn(command, args, { cwd: this.folder, env, stdio: ["ignore", "pipe", "pipe"] }));
  }

  /** What the compiler finds wrong with all files of the folder. */
  async compile(): Promise<Refusal[]> {
    const { printed } = await this.run("tsc", ["-p", ".", "--pretty", "false"]);
    const found = [...printed.matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+: .*(?:\n .*)*)/gm)];
    if (found.length === 0 && printed.trim() !== "") throw new Error(printed);
    return found.map(([, file, line, says]) => ({ file: file!, line: Number(line), says: says! }));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly printed: string }> {
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text: Buffer) => (printed += text.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, printed }));
  });
}

/** A port at which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
