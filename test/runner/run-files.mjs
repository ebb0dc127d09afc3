import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const beside = (name) => new URL(name, import.meta.url).href;
/** What a file may have said before it ended is the end of this. */
const SAID_CHARS_MAX = 4_000;
const LAST_WORDS_MS = 1_000;
const KILL_LATER_MS = 30_000;
/** If more have failed, it was not the moment. */
const AGAIN_MAX = 3;

/**
 * Runs each file of tests in a process of its own, several at a time, in the order given. A file is
 * `{ file, env, note, isTimed }`; `note` is added to the names of its failures. If one that is timed fails, it runs again
 * at the end, by itself, and that counts. Its first failures are printed too.
 * @returns how many tests passed, failed and were skipped, and how many files ran again
 */
export async function runFiles(files, { root, folder, places, timeoutMs, seed, costs }) {
  const totals = { passed: 0, failed: 0, skipped: 0, again: 0 };
  const shared = {
    ...process.env,
    NODE_OPTIONS: "",
    TMPDIR: folder,
    // Hundreds of processes read the same modules.
    NODE_COMPILE_CACHE: join(root, ".cache", "compiled"),
    PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}`,
    ...(costs === undefined ? {} : { TEST_COSTS_FILE: costs }),
  };
  const waiting = files.map((one, at) => ({ ...one, report: join(folder, `${at}.jsonl`) }));
  const disturbed = [];
  const inPlace = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const outcomes = await run(one);
      tell(one, outcomes);
      if (one.isTimed && outcomes.some(hasFailed)) disturbed.push({ one, outcomes });
      else count(outcomes);
    }
  };
  await Promise.all(Array.from({ length: places }, inPlace));
  for (const { one, outcomes } of disturbed) {
    if (disturbed.length > AGAIN_MAX) {
      count(outcomes);
      continue;
    }
    totals.again += 1;
    process.stdout.write(`\nAGAIN, by itself: ${one.file}${one.note ?? ""}\n`);
    const second = await run(one);
    tell(one, second);
    count(second);
  }
  process.stderr.write("\n");
  return totals;

  function count(outcomes) {
    for (const { outcome } of outcomes) totals[outcome] += 1;
  }

  /** The outcomes of its tests. A process that ended badly has failed, even where every test that it told of had passed. */
  async function run({ file, env, report }) {
    const child = spawn(
      process.execPath,
      [
        // Isolates need it in their process.
        ...(file.startsWith("src/functions/child/") ? ["--no-node-snapshot"] : []),
        ...(seed === "fixed" ? ["--import", beside("fixed-seed.mjs")] : []),
        ...(costs === undefined ? [] : ["--import", beside("note-cost.mjs")]),
        `--test-reporter=${beside("report.mjs")}`,
        `--test-reporter-destination=${report}`,
        `--test-timeout=${timeoutMs}`,
        file,
      ],
      {
        cwd: root,
        stdio: ["ignore", "ignore", "pipe"],
        // The runner in it names the test that takes so long; this is for one that cannot be ended like that.
        timeout: timeoutMs + KILL_LATER_MS,
        killSignal: "SIGKILL",
        env: { ...shared, ...env },
      },
    );
    let said = "";
    child.stderr.on("data", (chunk) => {
      said = (said + chunk).slice(-SAID_CHARS_MAX);
      if (process.env.TEST_STDERR) process.stderr.write(chunk);
    });
    const closed = new Promise((resolve) => child.on("close", resolve));
    const how = await new Promise((resolve) => child.on("exit", (code, signal) => resolve(signal ?? code)));
    // A process that it left behind may keep its output open.
    if (how !== 0) await Promise.race([closed, setTimeout(LAST_WORDS_MS)]);
    child.stderr.destroy();
    const told = read(report);
    const outcomes = told.filter(({ outcome }) => outcome !== "end");
    if (how !== 0 && !outcomes.some(hasFailed))
      outcomes.push({ outcome: "failed", name: `the file ended with ${how}`, error: said });
    else if (how === 0 && told.length === outcomes.length)
      outcomes.push({ outcome: "failed", name: "the file ended before its tests", error: said });
    return outcomes;
  }
}

function tell(one, outcomes) {
  for (const { outcome, ...failure } of outcomes) {
    process.stderr.write({ passed: ".", failed: "X", skipped: "," }[outcome]);
    if (outcome === "failed") process.stdout.write(textOf(one, failure));
  }
}

function hasFailed({ outcome }) {
  return outcome === "failed";
}

function read(report) {
  if (!existsSync(report)) return [];
  const lines = readFileSync(report, "utf8").split("\n");
  rmSync(report);
  // A process that was killed may have left half a line.
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

function textOf({ file, note }, { name, at, error }) {
  return `\nFAILED ${name}${note ?? ""}\n  ${file}${at === undefined ? "" : `:${at}`}\n${error.replace(/^/gm, "    ")}\n`;
}
