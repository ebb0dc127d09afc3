import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { checkDeployment, type CheckOptions } from "../../src/composition/commands/check/check-deployment.ts";
import { CHECKS, type CheckFinding } from "../../src/composition/commands/check/findings.ts";
import { reasonOf } from "../../src/composition/commands/reason-of.ts";
import { start } from "../../src/composition/start.ts";
import { createLog } from "../../src/operate/log.ts";
import { readSettingsOf } from "../../src/project/config-file.ts";
import { BrokenProject } from "../../src/project/open-catalogs.ts";
import { PACKAGE_ROOT } from "../../src/project/package-root.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { diskOf, type Fixture, write } from "./fixtures.ts";

const CATALOG = join(PACKAGE_ROOT, "catalog/");

export interface Place {
  readonly project: string;
  readonly dataDir: string;
  readonly options: CheckOptions;
}

/** A project folder, and a data directory that does not exist yet. */
export function place(t: TestContext, changes: Partial<CheckOptions> = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), "datarun-check-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [project, dataDir] = [join(folder, "project"), join(folder, "data")];
  mkdirSync(project);
  const { given, environment, ...others } = changes;
  const options: CheckOptions = {
    given: { port: "0", "admin-port": "0", project, ...given },
    environment: { DATARUN_DATA_DIR: dataDir, ...environment },
    current: folder,
    production: false,
    connect: false,
    againstStore: false,
    clock: systemClock,
    disk: diskOf(),
    ...others,
  };
  return { project, dataDir, options };
}

/** The deployment that a fixture shows. */
export async function placeOf(t: TestContext, fixture: Fixture): Promise<CheckOptions> {
  const { files = {}, given = {}, environment = {}, disk, asked, prepare, clock } = fixture;
  const { options, project, dataDir } = place(t, {
    given,
    environment,
    disk: diskOf(disk),
    ...(asked !== undefined && { [asked]: true }),
    ...(clock !== undefined && { clock }),
  });
  write(project, files);
  const made = (await prepare?.(t, dataDir)) ?? {};
  return { ...options, environment: { ...options.environment, ...made } };
}

/** Without what becomes true as time passes: that data of the catalog is old. */
export async function check(options: CheckOptions): Promise<readonly CheckFinding[]> {
  const { findings } = await checkDeployment(options);
  return findings.filter(({ code, file }) => code !== "production.old_data" || file?.startsWith(CATALOG) !== true);
}

const LOG = createLog("error", "/dev/null");

/** What a start says that is given the same; nothing if it starts. */
export async function refusalOf({ given, environment }: CheckOptions): Promise<readonly string[]> {
  try {
    const project = given["project"] as string;
    const settings = await readSettingsOf(project, given, environment);
    await (await start({ settings, printDemo: () => {}, log: LOG })).close();
    return [];
  } catch (error) {
    return error instanceof BrokenProject ? error.problems.map(({ message }) => message) : [reasonOf(error)];
  }
}

/** What was found for which a start fails. */
export function stopping(findings: readonly CheckFinding[]): readonly string[] {
  return findings.filter(({ code }) => "stopsStart" in CHECKS[code]).map(({ says }) => says);
}
