import { watchProject } from "../../project/watch-project.ts";
import { configFileOf } from "../../project/config-file.ts";
import type { Settings } from "../../settings/settings.ts";
import { createLog, type Log } from "../../operate/log.ts";
import { readableLine } from "../../operate/readable-line.ts";
import { hasGeneratedTypes, projectTypes } from "../../project/project-types.ts";
import { PACKAGE_ROOT } from "../../project/package-root.ts";
import { start, type RunningService, type StartOptions } from "../start.ts";

export interface DevOptions extends Omit<StartOptions, "dev" | "log"> {
  /** Prints readable log lines. */
  readonly print: (line: string) => void;
  /** Reads the settings again after the config file has changed. */
  readonly readSettings: (version: string) => Promise<Settings>;
}

/**
 * `datarun dev`: the service with readable logs. A changed source or function, or a file that it imports, is loaded at
 * once; if it is broken, that is reported and the previous version stays in use. A changed config file restarts the
 * service on the same ports; if it is broken, that is reported and nothing changes.
 */
export async function startDev(options: DevOptions): Promise<RunningService> {
  // The log includes the text of errors thrown by authors' code, which a production log leaves out.
  const level = options.settings.logLevel;
  const log = createLog(level === "info" ? "debug" : level, {
    write: (line) => options.print(readableLine(line)),
  });
  const project = options.settings.project;
  let { settings } = options;
  let running: RunningService;
  let version = 0;
  let work = Promise.resolve();

  async function changed(files: ReadonlySet<string>): Promise<void> {
    version += 1;
    if (configFileOf(project!) !== undefined && files.has(configFileOf(project!)!)) await startAnew();
    else report(await running.reload(), log);
    refreshTypes();
  }

  /** A project without the generated file gets none. */
  function refreshTypes(): void {
    try {
      if (project === undefined || !hasGeneratedTypes(project)) return;
      const { file, state, write } = projectTypes(project, running.loaded());
      if (state !== "outdated") return;
      write();
      log.info({ event: "types_written", file });
    } catch (error) {
      log.warn({ event: "types_not_written", reason: reasonOf(error) });
    }
  }

  // The start message is printed at the first start only.
  const again = { ...options, printDemo: undefined };

  async function startAnew(): Promise<void> {
    const changed = onSamePorts(await options.readSettings(`config-${version}`), running);
    const before = onSamePorts(settings, running);
    await running.close();
    try {
      running = await start({ ...again, settings: changed, dev: true, log });
      settings = changed;
    } catch (error) {
      running = await start({ ...again, settings: before, dev: true, log });
      throw error;
    }
    log.info({ event: "started_anew" }, "the config file has changed");
  }

  // Watching starts before the first file is read, so that no change during the start is missed. Starts and reloads run
  // one after another.
  const unwatch =
    project === undefined
      ? () => {}
      : watchProject(project, (files) => {
          work = work
            .then(() => changed(files))
            .catch((error: unknown) => log.error({ event: "broken_config", reason: reasonOf(error) }));
        });
  const starting = start({ ...options, dev: true, log });
  // After a failed start, nothing is reloaded.
  work = starting.then(
    () => {},
    () => new Promise(() => {}),
  );
  try {
    running = await starting;
    refreshTypes();
  } catch (error) {
    unwatch();
    throw error;
  }
  if (project === undefined)
    log.warn({ event: "nothing_to_watch", catalog: PACKAGE_ROOT }, "there is no project folder: nothing is reloaded");

  return {
    ...running,
    get failed() {
      return running.failed;
    },
    reload: () => running.reload(),
    loaded: () => running.loaded(),
    reportStray: (thrown) => running.reportStray(thrown),
    async close() {
      unwatch();
      await work;
      await running.close();
    },
  };
}

function report(problems: Awaited<ReturnType<RunningService["reload"]>>, log: Log): void {
  for (const { file, reason, served } of problems)
    log.error(
      { event: "broken_file", file, reason },
      served ? "its last good version is still served" : "it is not served",
    );
  if (problems.length === 0) log.info({ event: "reloaded" });
}

/** Keeps the ports that the system chose at the first start, so that clients find the service again. */
function onSamePorts(settings: Settings, running: RunningService): Settings {
  const port = settings.port === 0 ? Number(new URL(running.url).port) : settings.port;
  const adminPort = settings.adminPort === 0 ? Number(new URL(running.adminUrl).port) : settings.adminPort;
  return { ...settings, port, adminPort };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
