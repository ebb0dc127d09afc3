import { readdirSync } from "node:fs";
import type { Verb } from "./verb.ts";
import { MODULE_EXTENSION } from "../terms/platform/module-beside.ts";

/** All verbs, found by their files; a verb's file is loaded when the verb is needed. */
export interface VerbSet {
  /** Sorted names such as `token create`. */
  readonly names: readonly string[];
  load(name: string): Promise<Verb>;
}

const VERBS = new URL("./verbs/", import.meta.url);
const FILE = new RegExp(`^([a-z][a-z-]*)\\${MODULE_EXTENSION}$`);

/**
 * Scans `verbs/<noun>/<verb>.ts`, so that adding a verb changes no other file. A noun may have a subfolder:
 * `verbs/credential/price/set.ts` is `credential price set`, and `verbs/openapi.ts` is `openapi`.
 */
export function findVerbs(folder: URL = VERBS): VerbSet {
  const files = new Map<string, URL>();
  const scan = (directory: URL, nouns: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const verb = FILE.exec(entry.name)?.[1];
      if (entry.isDirectory()) scan(new URL(`${entry.name}/`, directory), `${nouns}${entry.name} `);
      else if (verb !== undefined) files.set(nouns + verb, new URL(entry.name, directory));
    }
  };
  scan(folder, "");
  return {
    names: [...files.keys()].sort(),
    load: async (name) => {
      const file = files.get(name);
      if (file === undefined) throw new RangeError(`there is no verb "${name}"`);
      return ((await import(file.href)) as { default: Verb }).default;
    },
  };
}

/** The path of a verb on the admin port: `credential price set` has `/api/credential/price/set`. */
export function verbPath(name: string): string {
  return `/api/${name.replaceAll(" ", "/")}`;
}
