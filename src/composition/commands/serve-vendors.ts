import { replyReading } from "../open-vendor-clients.ts";
import { projectOf, readSettingsOf } from "../../project/config-file.ts";
import { openSources } from "../../project/open-catalogs.ts";
import { ConfigError } from "../../settings/read-settings.ts";
import { startVendorSimulator, type VendorSimulator } from "../../simulation/vendor-simulator.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { listenToLauncher, onStopSignal } from "./command-process.ts";
import { reasonOf } from "./reason-of.ts";

export interface ServedVendors {
  readonly project?: string;
  readonly port: number;
}

/**
 * Serves the vendors until the process is told to stop. Resolves with 0 when they are served, or with the exit code.
 */
export async function serveVendors(what: ServedVendors): Promise<number> {
  try {
    const simulator = await start(what);
    const stop = () => void simulator.close().finally(() => process.exit(0));
    onStopSignal(stop);
    listenToLauncher(stop, stop);
    return 0;
  } catch (error) {
    process.stderr.write(`datarun cannot simulate: ${reasonOf(error)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

/** @throws ConfigError */
async function start({ project: named, port }: ServedVendors): Promise<VendorSimulator> {
  const environment = process.env;
  const project = projectOf({ project: named }, environment, process.cwd());
  const settings = await readSettingsOf(project, {}, environment);
  const { all, problems } = await openSources(project, { catalogs: settings.catalogs });
  for (const { message } of problems) process.stdout.write(`A file cannot be used: ${message}\n`);
  const sources = [...all.values()].map(({ source }) => source).filter(({ leavesMachine }) => leavesMachine);
  const simulator = await startVendorSimulator({
    sources,
    clock: systemClock,
    port,
    ...replyReading(settings),
  });
  const width = Math.max(...simulator.hosts.map((host) => host.length), 0);
  const rows = simulator.hosts.map((host) => `  ${host.padEnd(width)}  ${simulator.url}/${host}\n`);
  process.stdout.write(
    `${simulator.hosts.length} vendors of ${sources.length} sources are simulated at ${simulator.url}\n${rows.join("")}`,
  );
  return simulator;
}
