import { existsSync } from "node:fs";
import { asTyped } from "../../admin/cli/typed-commands.ts";
import { shownPath } from "../../admin/authoring/source-files.ts";
import { projectOf, readSettingsOf } from "../../project/config-file.ts";
import { openSources } from "../../project/open-catalogs.ts";
import { createCompilerConfig, projectTypes } from "../../project/project-types.ts";
import { printableLines } from "../../terms/text/printable.ts";
import { reasonOf } from "./reason-of.ts";

export interface TypesInput {
  readonly project?: string;
  readonly check?: boolean;
}

const NOT_CURRENT = 2;

/** Writes the types of a project or compares them. Returns the exit code. */
export async function writeTypes(
  { project: named, check = false }: TypesInput,
  program = () => "datarun",
): Promise<number> {
  const say = (text: string) => process.stdout.write(`${asTyped(text, program)}\n`);
  const refuse = (text: string) => {
    // File names and errors of loaded files may contain control characters.
    process.stderr.write(`${asTyped(printableLines(text), program)}\n`);
    return 1;
  };
  const project = projectOf({ project: named }, process.env, process.cwd());
  if (project === undefined) return refuse("There is no project folder: name one with --project.");
  if (!existsSync(project)) return refuse(`The project folder ${shownPath(project)} does not exist.`);
  try {
    const { catalogs } = await readSettingsOf(project, {}, process.env);
    const loaded = await openSources(project, { catalogs });
    // Without the types of a broken source, correct functions would not compile.
    if (loaded.problems.length > 0) return refuse(loaded.problems.map(({ message }) => message).join("\n"));
    const types = projectTypes(project, loaded);
    const file = shownPath(types.file);
    if (types.state === "foreign")
      return refuse(`${file} is not a file that datarun has generated. Rename it, or remove it.`);
    if (check && types.state !== "current") {
      process.stderr.write(`${asTyped(`${file} is ${types.state}. Write it with: datarun types`, program)}\n`);
      return NOT_CURRENT;
    }
    const config = check ? null : createCompilerConfig(project);
    types.write();
    if (config !== null) say(`${shownPath(config)}: created`);
    say(`${file}: ${types.sources} sources${types.state === "current" ? ", already current" : ""}`);
    return 0;
  } catch (error) {
    return refuse(reasonOf(error));
  }
}
