import { parseArgs } from "node:util";
import { projectFolder } from "../project/config-file.ts";
import { ConfigError } from "../settings/read-settings.ts";
import { openSources } from "../project/open-catalogs.ts";
import { replyReading } from "../composition/open-doors.ts";
import { readSettingsOf } from "../project/config-file.ts";
import { MAGIC } from "../simulation/magic-inputs.ts";
import { startVendorSimulator, type VendorSimulator } from "../simulation/vendor-simulator.ts";
import { systemClock } from "../terms/clock.ts";

const PORT = "8090";

const HELP = `Usage: datarun simulate [--project DIR] [--port N]

Plays the vendors of the catalog and of your project on one port of this machine, from the cases of their sources. Where
a vendor is https://host/path, point your client at the address printed here and keep the path. Stop it with Ctrl-C.

  --project DIR  The project folder
  --port N       The port; ${PORT} unless given, 0 for any free one

A failure is asked for by the header x-datarun-simulate, or by a query value such as simulate:timeout:
  ${MAGIC.join(", ")}
`;

/** Runs until it is stopped. Resolves when the vendors are served. @throws ConfigError */
export async function simulate(
  args: readonly string[],
  tell: (words: string) => void,
): Promise<VendorSimulator | null> {
  const { project: named, port, help } = read(args);
  if (help === true) {
    tell(HELP);
    return null;
  }
  const environment = process.env;
  const project = projectFolder(named ?? (environment["DATARUN_PROJECT"] || undefined), process.cwd());
  const [settings, { all, problems }] = await Promise.all([
    readSettingsOf(project, {}, environment),
    openSources(project),
  ]);
  for (const { message } of problems) tell(`A file cannot be used: ${message}\n`);
  const sources = [...all.values()].map(({ source }) => source).filter(({ leavesMachine }) => leavesMachine);
  const simulator = await startVendorSimulator({
    sources,
    clock: systemClock,
    port: portOf(port),
    ...replyReading(settings),
  });
  const width = Math.max(...simulator.hosts.map((host) => host.length), 0);
  const rows = simulator.hosts.map((host) => `  ${host.padEnd(width)}  ${simulator.url}/${host}\n`);
  tell(
    `${simulator.hosts.length} vendors of ${sources.length} sources are played at ${simulator.url}\n${rows.join("")}`,
  );
  return simulator;
}

function read(args: readonly string[]): {
  project?: string | undefined;
  port?: string | undefined;
  help?: boolean | undefined;
} {
  const options = {
    project: { type: "string" },
    port: { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

function portOf(given: string = PORT): number {
  if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535) throw new ConfigError("--port must be from 0 to 65535");
  return Number(given);
}
