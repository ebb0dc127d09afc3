import { readdirSync } from "node:fs";
import type { Verb } from "./verb.ts";

/** All verbs, found by their files; a verb's file is loaded when the verb is needed. */
export interface VerbSet {
  /** `token create` and so on, sorted. */
  readonly names: readonly string[];
  load(name: string): Promise<Verb>;
}

const VERBS = new URL("./verbs/", import.meta.url);

/** Scans `verbs/<noun>/<verb>.ts`, so that adding a verb changes no other file. */
export function findVerbs(folder: URL = VERBS): VerbSet {
  const files = new Map<string, URL>();
  for (const noun of readdirSync(folder, { withFileTypes: true })) {
    if (!noun.isDirectory()) continue;
    for (const file of readdirSync(new URL(`${noun.name}/`, folder))) {
      const verb = /^([a-z][a-z-]*)\.ts$/.exec(file)?.[1];
      if (verb !== undefined) files.set(`${noun.name} ${verb}`, new URL(`${noun.name}/${file}`, folder));
    }
  }
  return {
    names: [...files.keys()].sort(),
    load: async (name) => {
      const file = files.get(name);
      if (file === undefined) throw new RangeError(`there is no verb "${name}"`);
      return ((await import(file.href)) as { default: Verb }).default;
    },
  };
}
