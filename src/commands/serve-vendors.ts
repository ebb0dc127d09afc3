import { ConfigError } from "../settings/read-settings.ts";
import { listenToLauncher } from "./launcher.ts";
import { reasonOf } from "./reason-of.ts";
import { simulate } from "./simulate.ts";

/** `datarun simulate`, until it is told to stop. */
export async function serveVendors(args: string[]): Promise<void> {
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
