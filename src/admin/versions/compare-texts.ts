import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { isJsonObject, type Json } from "../../terms/json/json.ts";
import type { VersionTexts } from "../../terms/version.ts";

/** The differences of two versions in what people wrote. */
export interface TextDifferences {
  readonly files: readonly FileDifference[];
  /** The packages that a TypeScript source imports, where their versions differ. */
  readonly packages: readonly PackageDifference[];
}

export interface FileDifference {
  readonly file: string;
  readonly change: "added" | "removed" | "changed";
  /** In the unified format; `null` if more than `LINES_MAX` lines differ. */
  readonly diff: string | null;
}

export interface PackageDifference {
  readonly package: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The time to compare two texts grows with the square of the number of lines that differ. */
export const LINES_MAX = 1_000;

/** The file name that a unified diff gives to a file that does not exist. */
const NO_FILE = "/dev/null";

export async function compareTexts(before: VersionTexts, after: VersionTexts): Promise<TextDifferences> {
  const names = [...new Set([...Object.keys(before.source), ...Object.keys(after.source)])].sort();
  const files: FileDifference[] = [];
  for (const file of names) {
    files.push(...compareFile(file, before.source[file], after.source[file]));
    // A service has runs to serve meanwhile.
    await new Promise(setImmediate);
  }
  return { files, packages: comparePackages(packagesOf(before), packagesOf(after)) };
}

/** For a person in a terminal. */
export function differencesText({ files, packages }: TextDifferences): string {
  if (files.length + packages.length === 0) return `${SAME_FILES}\n`;
  return [
    ...files.map(({ file, change, diff }) => diff ?? `${file} was ${change}: more than ${LINES_MAX} lines differ\n`),
    ...packages.map((each) => `package ${each.package}: ${each.before ?? "none"} -> ${each.after ?? "none"}\n`),
  ].join("\n");
}

/** A mutable copy, as results are. */
export function toWireDifferences({ files, packages }: TextDifferences) {
  return { files: files.map((file) => ({ ...file })), packages: packages.map((each) => ({ ...each })) };
}

/** Why versions differ whose files are the same. */
export const SAME_FILES = "The files are the same: an installed package differs, or the version of datarun.";

function compareFile(file: string, before: string | undefined, after: string | undefined): readonly FileDifference[] {
  if (before === after) return [];
  const [from, to] = [before, after].map((text) => (text === undefined ? NO_FILE : file));
  const options = { context: 3, maxEditLength: LINES_MAX, headerOptions: FILE_HEADERS_ONLY };
  const diff = createTwoFilesPatch(from!, to!, before ?? "", after ?? "", undefined, undefined, options) ?? null;
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return [{ file, change, diff }];
}

type Packages = Readonly<Record<string, string>>;

/** The content of a version of a TypeScript source has its packages. */
function packagesOf({ content }: VersionTexts): Packages {
  const { files, packages } = JSON.parse(content) as Readonly<Record<string, Json>>;
  return isJsonObject(files) && isJsonObject(packages) ? (packages as Packages) : {};
}

function comparePackages(before: Packages, after: Packages): readonly PackageDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const versionIn = (packages: Packages, name: string) => (Object.hasOwn(packages, name) ? packages[name]! : null);
  return names
    .map((name) => ({ package: name, before: versionIn(before, name), after: versionIn(after, name) }))
    .filter((each) => each.before !== each.after);
}
