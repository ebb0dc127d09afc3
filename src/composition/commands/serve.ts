import { setFlagsFromString } from "node:v8";
import { ConfigError } from "../../settings/read-settings.ts";
import { asTyped } from "../../admin/cli/typed-commands.ts";
import { listenToLauncher, onStopSignal, onStrayError, replaceExit } from "./command-process.ts";
import { reasonOf, messageWithLocation } from "./reason-of.ts";
import type { SettingOptions } from "./setting-options.ts";
import { folderRemark, settingsFrom } from "../../project/config-file.ts";
import { start, type RunningService, type StartOptions } from "../start.ts";

/**
 * Turns off V8's pretenuring. V8 would allocate objects that survived several garbage collections directly in the old
 * generation, where they stay until a full collection. Here they belong to runs that wait for vendors, and live for
 * milliseconds.
 */
const KEEP_YOUNG = "--no-allocation-site-pretenuring";

/**
 * Lets V8 keep the young generations of worker threads. A limit that an operator sets is meant for the main thread,
 * which has applied it already; the workers have smaller limits of their own, which V8 would replace.
 */
const THREADS_AS_THEY_ARE = "--max-semi-space-size=0";

/**
 * Runs the service until the process is told to stop. Resolves with 0 once it runs; if it cannot start, the process
 * ends.
 * @param program how a person starts a command of this deployment
 */
export async function serve(name: "start" | "dev", given: SettingOptions, program = () => "datarun"): Promise<number> {
  setFlagsFromString(KEEP_YOUNG);
  setFlagsFromString(THREADS_AS_THEY_ARE);
  const exit: (code: number) => never = replaceExit();
  let closing: Promise<void> | undefined;
  const asked = { directly: 0, byLauncher: 0 };
  let running: Awaited<ReturnType<typeof start>> | undefined;
  const stop = (from: keyof typeof asked) => {
    asked[from] += 1;
    // One request to stop may arrive both ways. A second request stops at once: data written to the operating system is
    // safe, and the journal will record the rest as unknown.
    if (Math.max(asked.directly, asked.byLauncher) > 1) exit(130);
    // Nothing has started, so there is nothing to wait for. The exit code shows that no service runs.
    if (running === undefined) exit(130);
    closing ??= running.close().then(
      () => exit(0),
      () => exit(1),
    );
  };
  onStopSignal(() => stop("directly"));
  listenToLauncher(
    () => stop("byLauncher"),
    () => closing === undefined && stop("byLauncher"),
  );
  // An adapter may throw after its call has ended; that only adds a line to the log. A file that is being loaded may
  // start work that fails before the service runs.
  onStrayError((thrown) => {
    if (running !== undefined) return running.reportStray(thrown);
    const message = messageWithLocation(thrown);
    if (name === "dev") return void process.stderr.write(`Work that a loaded file started has failed: ${message}\n`);
    process.stderr.write(`datarun cannot start: work that a loaded file started has failed: ${message}\n`);
    exit(1);
  });
  try {
    const settings = await settingsFrom(given);
    const remark = folderRemark(settings.project, process.cwd());
    if (remark !== null) process.stderr.write(`${remark}\n`);
    const options = {
      settings,
      program,
      printDemo: (text: string) => process.stderr.write(text),
    };
    running = name === "start" ? await start(options) : await startInDevelopment(options, given, program);
  } catch (error) {
    process.stderr.write(`datarun cannot start: ${asTyped(reasonOf(error), program)}\n`);
    exit(error instanceof ConfigError ? 2 : 1);
  }
  running.failed.catch((error: unknown) => {
    if (closing !== undefined) return;
    process.stderr.write(`datarun cannot continue: ${asTyped(reasonOf(error), program)}\n`);
    void running!.close().finally(() => exit(1));
  });
  return 0;
}

/** Loaded only when needed. */
async function startInDevelopment(
  options: StartOptions,
  given: SettingOptions,
  program: () => string,
): Promise<RunningService> {
  const { startDev } = await import("./serve-in-development.ts");
  return startDev({
    ...options,
    print: (line) => process.stdout.write(asTyped(line, program)),
    readSettings: (version) => settingsFrom(given, version),
  });
}
