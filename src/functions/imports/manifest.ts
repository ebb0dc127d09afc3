import { matchesGlob } from "node:path";
import { isJsonObject, type JsonObject } from "../../terms/json.ts";

/** A package.json, as far as it says what an import of the package means. */
export interface Manifest {
  /** The folder it lies in. */
  readonly folder: string;
  readonly name: unknown;
  readonly type: unknown;
  readonly exports: unknown;
  readonly imports: unknown;
  /** Where the package begins, if it has no `exports`: what bundlers prefer first. */
  readonly mains: readonly string[];
  readonly sideEffects: unknown;
}

/** What is no manifest says nothing; the import then fails for what it lacks. */
export function toManifest(folder: string, text: string): Manifest {
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

/** What `exports` gives for a subpath, which is `.` or begins with `./`; null where it gives nothing. */
export function exportOf({ exports }: Manifest, subpath: string, conditions: ReadonlySet<string>): string | null {
  const isMap = isJsonObject(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  return targetOf(isMap ? exports : { ".": exports as never }, subpath, conditions);
}

/** What `imports` gives for a name that begins with `#`; null where it gives nothing. */
export function importOf({ imports }: Manifest, name: string, conditions: ReadonlySet<string>): string | null {
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
    const isBetter = best === undefined || before.length > best.length || (before.length === best.length && pattern.length > best.pattern.length); // prettier-ignore
    if (isBetter) best = { pattern, length: before.length, middle };
  }
  return best === undefined ? null : choose(map[best.pattern], best.middle, conditions);
}

/** The first that fits, in the order of the manifest, as Node does it. */
function choose(target: unknown, middle: string, conditions: ReadonlySet<string>): string | null {
  if (typeof target === "string") return target.replaceAll("*", () => middle);
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

/** Whether a file may be left out when nothing of it is used; its path is relative to the manifest. */
export function hasSideEffects({ sideEffects }: Manifest, file: string): boolean {
  if (sideEffects === false) return false;
  if (!Array.isArray(sideEffects)) return true;
  return sideEffects.some((pattern: unknown) => {
    if (typeof pattern !== "string") return false;
    const whole = pattern.replace(/^\.?\//, "");
    return matchesGlob(file, whole.includes("/") ? whole : `**/${whole}`);
  });
}
