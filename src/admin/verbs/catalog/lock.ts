import { Type } from "../../../terms/schema/type.ts";
import { shownPath } from "../../authoring/source-files.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Accept the installed packages of sources as they are, and show what has changed",
  description:
    "Writes into datarun.lock what each source of the packages of the setting `catalogs` may reach, which credential fields it asks for, and the digest of its file. A service starts only if the installed packages are as the lock states, so read the shown differences and commit the file. The guide on packages has the rules that a package must follow.",
  example: "--project my-project --check",
  input: {
    check: Type.Optional(
      Type.Boolean({ description: "Write nothing; the exit code is 2 if a package differs from the lock" }),
    ),
  },
  role: "owner",
  terminalOnly: true,
  changes: true,
  needs: ["lockCatalogs"],

  async run({ check = false }, { lockCatalogs, note }) {
    const { file, packages } = await lockCatalogs(!check);
    if (packages.length === 0) note("The setting `catalogs` names no package.");
    const changed = packages.some(({ differences }) => differences.length > 0);
    return {
      file: shownPath(file),
      changed,
      written: !check && packages.length > 0,
      packages: packages.map((each) => ({ ...each, differences: [...each.differences] })),
    };
  },

  hasFailed: ({ changed, written }) => changed && !written,
  failureExitCode: 2,
  render({ file, written, packages }) {
    const rows = packages as readonly PackageRow[];
    const lines = rows.flatMap(({ name, version, sources, differences }) => [
      `${`${name} ${version}`.trim()}: ${sources} ${sources === 1 ? "source" : "sources"}, ${differences.length === 0 ? "as locked" : `${differences.length} ${differences.length === 1 ? "difference" : "differences"}`}`,
      ...differences.map((each) => `  ${each}`),
    ]);
    return [...lines, written === true ? `written: ${file}` : `not written: ${file}`, ""].join("\n");
  },
});

interface PackageRow {
  readonly name: string;
  readonly version: string;
  readonly sources: number;
  readonly differences: readonly string[];
}
