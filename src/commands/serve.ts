import { ConfigError } from "../settings/read-settings.ts";
import { listenToLauncher } from "./launcher.ts";
import { reasonOf } from "./reason-of.ts";
import type { GivenSettings } from "./setting-options.ts";
import { remarkOnFolder, settingsFrom } from "../project/config-file.ts";
import { start, type Running, type StartOptions } from "../composition/start.ts";

/** The service, until the process is told to stop. Resolves with 0 when it runs; where it cannot, the process ends. */
export async function serve(name: "start" | "dev", given: GivenSettings): Promise<number> {
  let closing: Promise<void> | undefined;
  const asked = { directly: 0, byLauncher: 0 };
  let running: Awaited<ReturnType<typeof start>> | undefined;
  const stop = (from: keyof typeof asked) => {
    asked[from] += 1;
    // One request may come both ways. A second one means now: what was handed to the operating system is safe, and the
    // journal says that the rest is unknown.
    if (Math.max(asked.directly, asked.byLauncher) > 1) process.exit(130);
    // Nothing has been begun, so nothing has to be waited for; but whoever wanted a service has none.
    if (running === undefined) process.exit(130);
    closing ??= running.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop("directly"));
  listenToLauncher(
    () => stop("byLauncher"),
    () => closing === undefined && stop("byLauncher"),
  );
  try {
    const settings = await settingsFrom(given);
    const remark = remarkOnFolder(settings.project, process.cwd());
    if (remark !== null) process.stderr.write(`${remark}\n`);
    const options = {
      settings,
      environment: process.env,
      tell: (words: string) => process.stderr.write(words),
    };
    running = name === "start" ? await start(options) : await startInDevelopment(options, given);
  } catch (error) {
    process.stderr.write(`datarun cannot start: ${reasonOf(error)}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
  running.failed.catch((error: unknown) => {
    if (closing !== undefined) return;
    process.stderr.write(`datarun cannot continue: ${reasonOf(error)}\n`);
    void running!.close().finally(() => process.exit(1));
  });
  // An adapter may throw after its call has ended: that costs nobody anything but a line in the log.
  process.on("uncaughtException", (error) => running!.reportStray(error));
  process.on("unhandledRejection", (reason) => running!.reportStray(reason));
  return 0;
}

/** Loaded only then. */
async function startInDevelopment(options: StartOptions, given: GivenSettings): Promise<Running> {
  const { startDev } = await import("./serve-in-development.ts");
  return startDev({
    ...options,
    print: (line) => process.stdout.write(line),
    readSettings: (version) => settingsFrom(given, version),
  });
}
