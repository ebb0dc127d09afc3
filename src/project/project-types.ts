import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { environmentText, GENERATED_LINE } from "../contract/environment.ts";
import type { LoadedSources } from "./load-sources.ts";

const ENVIRONMENT_FILE = "datarun-env.d.ts";
const CONFIG_FILE = "tsconfig.json";
const SDK_CONFIG = fileURLToPath(new URL("../sdk/project.tsconfig.json", import.meta.url));

/** The generated file with the types of all sources, on or off, because which are on is a setting of each deployment. */
export interface ProjectTypes {
  readonly file: string;
  /** `foreign`: a file of the author has its name. */
  readonly state: "current" | "outdated" | "missing" | "foreign";
  readonly sources: number;
  /** Writes the file, unless it is current. @throws Error for a file of the author */
  write(): void;
}

export function projectTypes(project: string, { all }: Pick<LoadedSources, "all">): ProjectTypes {
  const file = join(project, ENVIRONMENT_FILE);
  const sources = [...all.values()]
    .map(({ source: { id, declaration } }) => ({ ...declaration, id, output: declaration.output }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const text = environmentText(sources);
  const state = stateOf(file, text);
  return {
    file,
    state,
    sources: sources.length,
    write: () => {
      if (state === "foreign")
        throw new Error(`${file} exists already, and does not begin with the line of a generated file.`);
      if (state !== "current") writeFileSync(file, text);
    },
  };
}

function stateOf(file: string, text: string): ProjectTypes["state"] {
  if (!existsSync(file)) return "missing";
  const there = readFileSync(file, "utf8");
  if (there === text) return "current";
  return isGenerated(there) ? "outdated" : "foreign";
}

/** Whether a project has the generated file. */
export function hasGeneratedTypes(project: string): boolean {
  const file = join(project, ENVIRONMENT_FILE);
  return existsSync(file) && isGenerated(readFileSync(file, "utf8"));
}

/** The first words, so that other versions can change the rest of the line. */
function isGenerated(text: string): boolean {
  return text.startsWith(GENERATED_LINE.slice(0, GENERATED_LINE.indexOf(" from ")));
}

/**
 * Writes both files for an author who has just begun, as far as they are not the author's own. Returns a sentence for
 * each new file, and for one that cannot be written: what the author wanted exists all the same.
 */
export function createProjectTypes(project: string, loaded: Pick<LoadedSources, "all">): readonly string[] {
  try {
    const config = createCompilerConfig(project);
    const types = projectTypes(project, loaded);
    if (types.state !== "foreign") types.write();
    return [
      ...(types.state === "missing" ? [`${ENVIRONMENT_FILE} has the types of all sources.`] : []),
      ...(config === null ? [] : [`${CONFIG_FILE} tells editors where the types are.`]),
    ];
  } catch (error) {
    return [`The types for editors cannot be written: ${(error as Error).message}`];
  }
}

/** Creates the file by which editors find the types of "datarun", unless the project has one. Returns its path if it did. */
export function createCompilerConfig(project: string): string | null {
  const file = join(project, CONFIG_FILE);
  const base = relative(project, SDK_CONFIG).replaceAll(sep, "/");
  const config = { extends: base.startsWith("../") ? base : `./${base}` };
  try {
    writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`, { flag: "wx" });
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return null;
    throw error;
  }
}
