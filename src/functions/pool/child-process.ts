import { fork, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compiledCode } from "../../terms/platform/compiled-code.ts";
import type { FromChild, ToChild } from "./messages.ts";
import { openRss } from "../process-usage.ts";
import type { Bundle } from "../bundled.ts";
import { moduleBeside } from "../../terms/platform/module-beside.ts";

const MAIN = fileURLToPath(moduleBeside("../child/main.ts", import.meta.url));
/**
 * Makes the GNU C library return large blocks to the system when they are freed. By default, it learns to retain larger
 * and larger ones: after sixteen runs of 56 MB each, 460 to 640 MB stayed (measured) and counted against the limit of
 * their process.
 */
const RETURNED_WHEN_FREE = { MALLOC_MMAP_THRESHOLD_: "131072" };
/** Bytes of a dying process's output that are stored, for V8's last message. */
const LAST_WORDS_BYTES = 2_000;

export interface ChildEvents {
  message(message: FromChild): void;
  /** Called once, when the process is gone. */
  exit(how: string, lastWords: string): void;
}

/** A forked process that runs isolates, as the service sees it. It shares nothing with the service but the channel. */
export class IsolateProcess {
  readonly #process: ChildProcess;
  readonly #bundles = new Set<string>();
  readonly #readRss: () => number;
  #reportedRss = 0;
  #lastWords = "";
  #hasExited = false;

  constructor(prelude: string, events: ChildEvents) {
    const canReadRss = openRss(process.pid)() > 0;
    this.#process = fork(MAIN, canReadRss ? [] : ["report-rss"], {
      cwd: "/",
      // With the compile cache, it starts in half the time.
      env: { ...compiledCode(), ...RETURNED_WHEN_FREE },
      execArgv: ["--no-node-snapshot", "--max-old-space-size=256"],
      serialization: "advanced",
      // Nothing is ever written to standard input: when it closes, the child knows that this process is gone.
      stdio: ["pipe", "pipe", "pipe", "ipc"],
    });
    if (this.#process.pid !== undefined) offerFirst(this.#process.pid);
    this.#readRss =
      canReadRss && this.#process.pid !== undefined ? openRss(this.#process.pid) : () => this.#reportedRss;
    this.#process.stdin?.on("error", () => {});
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on("data", (bytes: Buffer) => {
        if (this.#lastWords.length < LAST_WORDS_BYTES)
          this.#lastWords = (this.#lastWords + bytes.toString("latin1")).slice(0, LAST_WORDS_BYTES);
      });
    }
    this.#process.on("message", (message) => {
      if (this.#hasExited) return;
      const childMessage = message as FromChild;
      if (childMessage.type === "rss") this.#reportedRss = childMessage.bytes;
      else events.message(childMessage);
    });
    const ended = (how: string): void => {
      if (this.#hasExited) return;
      this.#hasExited = true;
      events.exit(how, this.#lastWords);
    };
    this.#process.on("error", (error: NodeJS.ErrnoException) => ended(error.code ?? "error"));
    this.#process.on("exit", (code, signal) => ended(signal ?? `code ${code}`));
    this.send({ type: "prelude", code: prelude });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Calls `written` when the message no longer waits in this process, whether it was received or the child is gone. */
  send(message: ToChild, written: () => void = () => {}): void {
    if (!this.#hasExited && this.#process.connected) this.#process.send(message, written);
    else written();
  }

  /** Sends a bundle to the process, unless it has it already. */
  ensureBundle({ hash, code, contract }: Bundle): void {
    if (this.#bundles.has(hash)) return;
    this.#bundles.add(hash);
    this.send({ type: "bundle", bundle: hash, code, contract: contract ?? null });
  }

  forgetBundle(bundle: string): void {
    if (this.#bundles.delete(bundle)) this.send({ type: "forget", bundle });
  }

  rssBytes(): number {
    return this.#hasExited ? 0 : this.#readRss();
  }

  kill(): void {
    if (!this.#hasExited) this.#process.kill("SIGKILL");
  }
}

/** Makes a kernel without memory kill this process before any other, because its runs can be started again. */
function offerFirst(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // Another operating system, or not permitted.
  }
}
