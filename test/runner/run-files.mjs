import { spawn } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { needsIsolates } from "./suites.mjs";

const beside = (name) => new URL(name, import.meta.url).pathname;
/** What a process may have said before it ended is the end of this. */
const SAID_CHARS_MAX = 4_000;
const LAST_WORDS_MS = 1_000;
/** A file that takes this much longer than usual hangs, and is ended. */
const HANGS_AFTER_SECONDS = 60;

/**
 * Runs jobs, several at a time, in the order given. A job is `{ files, env, note }`: its files run one after another in
 * one process. If a file ends the process or hangs, the files after it run in another one.
 * `usual(file)` is what a file takes on an idle machine, in seconds; `onFile` is called after every file.
 * @returns how many tests passed, failed and were skipped, and what each file took
 */
export async function runFiles(jobs, { root, folder, places, usual, seed, onFile }) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const costs = [];
  const waiting = [...jobs];
  const running = new Set();
  const load = { took: 0, usual: 0 };
  /** How much slower than usual the files were that have ended. */
  const slowdown = () => (load.usual === 0 ? 1 : load.took / load.usual);
  /** When a file hangs, in seconds. Before files have ended, the load of the machine says how slow it is. */
  const limitOf = (file) => {
    const byOthers = (loadavg()[0] - places) / availableParallelism();
    return (usual(file) + HANGS_AFTER_SECONDS) * Math.max(1, slowdown(), byOthers);
  };

  const endAll = (signal) => {
    for (const child of running) endGroup(child);
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", endAll).once("SIGTERM", endAll);
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const rest = await run(job);
      if (rest.length > 0) waiting.unshift({ ...job, files: rest });
    }
  };
  await Promise.all(Array.from({ length: places }, work));
  process.off("SIGINT", endAll).off("SIGTERM", endAll);
  return { ...totals, costs };

  /** Runs the files of a job, and returns those that were not begun because the process has ended before. */
  async function run({ files, env, note = "" }) {
    const child = spawn(
      process.execPath,
      [
        ...(needsIsolates(files[0]) ? ["--no-node-snapshot"] : []),
        ...(seed === "fixed" ? ["--import", beside("fixed-seed.mjs")] : []),
        `--test-reporter=${beside("report.mjs")}`,
        beside("run-here.mjs"),
        ...files,
      ],
      {
        cwd: root,
        stdio: ["ignore", "ignore", "pipe", "pipe"],
        // A group of its own, so that a file that hangs is ended together with what it has started.
        detached: true,
        env: {
          ...process.env,
          NODE_OPTIONS: "",
          TMPDIR: folder,
          // All test processes load the same modules.
          NODE_COMPILE_CACHE: join(root, ".cache", "compiled"),
          PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}`,
          ...env,
        },
      },
    );
    running.add(child);
    let at = 0;
    let test = null;
    let fileSince = performance.now();
    let hangingAfter = 0;
    let hasFailed = false;
    let said = "";
    child.stderr.on("data", (chunk) => {
      said = (said + chunk).slice(-SAID_CHARS_MAX);
      if (process.env.TEST_STDERR) process.stderr.write(chunk);
    });
    const fail = (failure) => {
      hasFailed = true;
      count("failed", { file: files[Math.min(at, files.length - 1)], note, ...failure });
    };
    const lines = createInterface({ input: child.stdio[3] });
    lines.on("line", (text) => {
      const line = JSON.parse(text);
      if (line.event === "test") test = line.name;
      else if (line.event === "outcome" && line.outcome === "failed") fail(line);
      else if (line.event === "outcome") count(line.outcome);
      else {
        const { file, seconds, cpu } = line;
        costs.push({ file, note, seconds, cpu });
        load.took += seconds;
        load.usual += usual(file);
        at += 1;
        fileSince = performance.now();
        onFile({ file, slowdown: slowdown(), totals });
      }
    });
    const watch = setInterval(() => {
      const limit = limitOf(files[at] ?? "");
      if ((performance.now() - fileSince) / 1000 <= limit) return;
      clearInterval(watch);
      hangingAfter = Math.round(limit);
      endGroup(child);
    }, 1_000);
    const closed = new Promise((resolve) => lines.once("close", resolve));
    const how = await new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
    // A process that it left behind may keep its output open.
    await Promise.race([closed, sleep(LAST_WORDS_MS)]);
    clearInterval(watch);
    running.delete(child);
    endGroup(child);
    lines.close();
    child.stderr.destroy();
    child.stdio[3].destroy();
    if (hangingAfter > 0)
      fail({ name: `not ended after ${hangingAfter} s, in or after: ${test ?? "the start"}`, error: said });
    else if (at < files.length) fail({ name: `the file ended its process with ${how}`, error: said });
    else if (how !== 0 && !hasFailed) fail({ name: `the process ended with ${how} after all tests`, error: said });
    // The file that was being run is not run again.
    return files.slice(at + 1);
  }

  function count(outcome, failure) {
    totals[outcome] += 1;
    if (failure !== undefined) process.stdout.write(textOf(failure));
  }
}

/** Ends a process and all that it has started. */
function endGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // None of them is there any more.
    if (error.code !== "ESRCH") throw error;
  }
}

function textOf({ file, note, name, at, error }) {
  return `\nFAILED ${name}${note}\n  ${file}${at === undefined ? "" : `:${at}`}\n${error.replace(/^/gm, "    ")}\n`;
}
