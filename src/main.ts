import { ConfigError, optionOf, SETTINGS, type Setting } from "./config.ts";
import { RootKeyError } from "./credentials/root-key.ts";
import { LedgerInUse } from "./ledger/directory-lock.ts";
import { BrokenProject } from "./open-catalogs.ts";
import { settingsFrom } from "./project-settings.ts";
import { LoadError } from "./sources/load-error.ts";
import { start, type Running, type StartOptions } from "./start.ts";
import { StoreRefused } from "./storage/store.ts";

const [command, ...rest] = process.argv.slice(2);

if (command === "start" || command === "dev") await serve(command, rest);
else if (command === "simulate") await serveVendors(rest);
else await runVerb();

/** Loaded only then: the start of a service need not wait for the verbs. */
async function runVerb(): Promise<void> {
  const [{ findVerbs }, { runCli }, { COMMANDS, openVerbs }] = await Promise.all([
    import("./admin/find-verbs.ts"),
    import("./cli/run-cli.ts"),
    import("./command-line.ts"),
  ]);
  const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env };
  process.exitCode = await runCli(process.argv.slice(2), io, { verbs: findVerbs(), others: COMMANDS, open: openVerbs });
}

async function serve(name: "start" | "dev", args: string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) return void process.stdout.write(startHelp(name));
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
    const settings = await settingsFrom(args);
    const options = {
      settings,
      environment: process.env,
      tell: (words: string) => process.stderr.write(words),
    };
    running = name === "start" ? await start(options) : await startInDevelopment(options, args);
  } catch (error) {
    process.stderr.write(`datarun cannot start: ${reasonOf(error)}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
  running.failed.catch((error: unknown) => {
    process.stderr.write(`datarun cannot go on: ${reasonOf(error)}\n`);
    void running!.close().finally(() => process.exit(1));
  });
  // An adapter may throw after its call has ended: that costs nobody anything but a line in the log.
  process.on("uncaughtException", (error) => running!.reportStray(error));
  process.on("unhandledRejection", (reason) => running!.reportStray(reason));
}

async function serveVendors(args: string[]): Promise<void> {
  const { simulate } = await import("./simulate.ts");
  try {
    const simulator = await simulate(args, (words) => process.stdout.write(words));
    if (simulator === null) return;
    const stop = () => void simulator.close().finally(() => process.exit(0));
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
    listenToLauncher(stop, stop);
  } catch (error) {
    process.stderr.write(`datarun cannot simulate: ${reasonOf(error)}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  }
}

/** Loaded only then, like the verbs. */
async function startInDevelopment(options: StartOptions, args: string[]): Promise<Running> {
  const { startDev } = await import("./dev.ts");
  return startDev({
    ...options,
    print: (line) => process.stdout.write(line),
    readSettings: (version) => settingsFrom(args, version),
  });
}

/** Started through the launcher, the service stops when the launcher says so, and when it ends, however that ends. */
function listenToLauncher(asked: () => void, gone: () => void): void {
  const fd = Number(process.env["DATARUN_LIFELINE_FD"]);
  delete process.env["DATARUN_LIFELINE_FD"];
  if (!Number.isInteger(fd) || fd < 3) return;
  void import("node:net").then(({ Socket }) => {
    const line = new Socket({ fd, readable: true, writable: false });
    line.on("data", (text) => text.toString().split("\n").slice(1).forEach(asked)); // prettier-ignore
    line.on("close", gone).on("error", () => {});
    line.resume().unref();
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof BrokenProject)
    return `these files cannot be used:\n${error.problems.map(({ message }) => `  ${message}`).join("\n")}`;
  const known = [ConfigError, RootKeyError, LedgerInUse, LoadError, StoreRefused].some((kind) => error instanceof kind);
  if (known) return (error as Error).message;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return code === "EADDRINUSE" || code === "EACCES" ? message : (stack ?? String(error));
}

function startHelp(name: "start" | "dev"): string {
  const rows = (SETTINGS as readonly Setting[]).map(
    (setting) =>
      `  --${optionOf(setting)}${setting.type === "flag" ? "" : ` ${setting.type.toUpperCase()}`}\n      ${setting.says}`,
  );
  const what = name === "dev" ? "start with reload on change and readable logs" : "start the service";
  return `Usage: datarun ${name} [OPTIONS]\n\nTo ${what}. Each option is also an environment variable (DATARUN_PORT) and a key of datarun.config.ts.\n\n${rows.join("\n")}\n`;
}
