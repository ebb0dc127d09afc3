import { isJsonObject, type JsonObject } from "../../terms/json/json.ts";
import { fitsOneOf } from "./path-pattern.ts";
import { PATH_CHARACTERS_MAX } from "./regular-file.ts";

/** The fields of a package.json that determine what an import of the package means. */
export interface PackageManifest {
  /** The folder of the package.json. */
  readonly folder: string;
  readonly name: unknown;
  readonly type: unknown;
  readonly exports: unknown;
  readonly imports: unknown;
  /** The entry points of a package without `exports`, in the order bundlers prefer. */
  readonly mains: readonly string[];
  readonly sideEffects: unknown;
}

/**
 * If the text is not a JSON object, every field counts as absent; then the import fails because of the missing fields.
 */
export function toManifest(folder: string, text: string): PackageManifest {
  const given = parse(text);
  return {
    folder,
    name: given["name"],
    type: given["type"],
    exports: given["exports"],
    imports: given["imports"],
    mains: [given["module"], given["main"]].filter((main) => typeof main === "string"),
    sideEffects: given["sideEffects"],
  };
}

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The target in `exports` for a subpath, which is `.` or begins with `./`; null if there is none. */
export function exportOf(
  { exports }: PackageManifest,
  subpath: string,
  conditions: ReadonlySet<string>,
): string | null {
  const isMap = isJsonObject(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  return targetOf(isMap ? exports : { ".": exports as never }, subpath, conditions);
}

/** The target in `imports` for a name that begins with `#`; null if there is none. */
export function importOf({ imports }: PackageManifest, name: string, conditions: ReadonlySet<string>): string | null {
  return isJsonObject(imports) ? targetOf(imports, name, conditions) : null;
}

function targetOf(map: JsonObject, key: string, conditions: ReadonlySet<string>): string | null {
  if (Object.hasOwn(map, key) && !key.includes("*")) return choose(map[key], "", conditions);
  let best: { readonly pattern: string; readonly length: number; readonly middle: string } | undefined;
  for (const pattern of Object.keys(map)) {
    const [before, after, more] = pattern.split("*");
    if (before === undefined || after === undefined || more !== undefined) continue;
    if (key.length <= before.length + after.length || !key.startsWith(before) || !key.endsWith(after)) continue;
    const middle = key.slice(before.length, key.length - after.length);
    const isBetter =
      best === undefined ||
      before.length > best.length ||
      (before.length === best.length && pattern.length > best.pattern.length);
    if (isBetter) best = { pattern, length: before.length, middle };
  }
  return best === undefined ? null : choose(map[best.pattern], best.middle, conditions);
}

/** The first matching target, in the order of the manifest, as in Node. */
function choose(target: unknown, middle: string, conditions: ReadonlySet<string>): string | null {
  if (typeof target === "string") return withMiddle(target, middle);
  if (Array.isArray(target)) {
    for (const each of target) {
      const chosen = choose(each, middle, conditions);
      if (chosen !== null) return chosen;
    }
    return null;
  }
  if (!isJsonObject(target)) return null;
  for (const [condition, each] of Object.entries(target)) {
    if (!conditions.has(condition)) continue;
    const chosen = choose(each, middle, conditions);
    if (chosen !== null) return chosen;
  }
  return null;
}

/**
 * Replaces each `*` of a target. `null` if the result is longer than any path: a short text with many asterisks would
 * become a very long one.
 */
function withMiddle(target: string, middle: string): string | null {
  if (target.length > PATH_CHARACTERS_MAX) return null;
  const parts = target.split("*");
  return target.length + (parts.length - 1) * middle.length > PATH_CHARACTERS_MAX ? null : parts.join(middle);
}

/**
 * Whether a bundle must include a file of the package even if no export of it is used. The path is relative to the
 * manifest.
 */
export function hasSideEffects({ sideEffects }: PackageManifest, file: string): boolean {
  if (sideEffects === false) return false;
  if (!Array.isArray(sideEffects)) return true;
  const patterns = sideEffects
    .filter((pattern) => typeof pattern === "string")
    .map((pattern) => pattern.replace(/^\.?\//, ""))
    .map((pattern) => (pattern.includes("/") ? pattern : `**/${pattern}`));
  return fitsOneOf(file, patterns) ?? true;
}
