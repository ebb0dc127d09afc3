import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { manifestOf } from "../functions/load/bundle-cache.ts";
import { readSavedText, writeSavedText } from "../terms/platform/saved-text.ts";
import type { KnownDocument, KnownDocuments } from "../sources/ports.ts";

export interface SavedDocuments extends KnownDocuments {
  /** Caches the documents for the next start, if any was new. Never fails: without the cache a start takes longer. */
  keep(): Promise<Learned>;
}

export interface Learned {
  /** The number of files that were not in the cache. */
  readonly files: number;
  /** The system's error code if the cache could not be written, else `null`. */
  readonly problem: string | null;
}

interface Kept {
  /** Identifies the code that read and checked these documents. */
  readonly version: string;
  readonly documents: Readonly<Record<string, KnownDocument>>;
}

/**
 * The documents of YAML files that an earlier start has checked, from the first of these files that is of this code
 * version. Reading and checking them takes the longest part of a start. Keyed by the digest of the text, so that a
 * changed file is read again. Without files nothing is cached.
 */
export async function openSavedDocuments(places: readonly string[]): Promise<SavedDocuments> {
  const version = (codeVersion ??= versionOfCode());
  const kept = await firstOf(places, version);
  const known = new Map<string, KnownDocument>();
  let files = 0;

  async function write(): Promise<string | null> {
    let problem = "ENOENT";
    for (const place of places) {
      try {
        // Within `try`, because a document with an alias of its own parent has no text.
        await writeSavedText(place, JSON.stringify({ version, documents: Object.fromEntries(known) } satisfies Kept));
        return null;
      } catch (error) {
        problem = (error as NodeJS.ErrnoException).code ?? String(error);
      }
    }
    return problem;
  }

  return {
    find(text) {
      const digest = hash("sha256", text);
      const value = Object.hasOwn(kept, digest) ? kept[digest] : undefined;
      if (value !== undefined) known.set(digest, value);
      return value;
    },
    learn(text, value) {
      known.set(hash("sha256", text), value);
      files += 1;
    },
    keep: async () => ({ files, problem: files === 0 ? null : await write() }),
  };
}

async function firstOf(places: readonly string[], version: string): Promise<Kept["documents"]> {
  for (const place of places) {
    const text = await readSavedText(place);
    const kept = text === null ? null : (JSON.parse(text) as Kept);
    if (kept?.version === version) return kept.documents;
  }
  return {};
}

const CODE = ["../sources/", "../terms/"];
const PACKAGES = ["yaml", "ajv", "ajv-formats", "re2js", "@jmespath-community/jmespath"];

let codeVersion: string | undefined;

/** Changes with all code that determines how a text is read and checked. */
function versionOfCode(): string {
  const code = CODE.flatMap((folder) => filesIn(fileURLToPath(new URL(folder, import.meta.url))));
  const files = [...code, ...PACKAGES.map(manifestOf)];
  return hash("sha256", JSON.stringify([process.version, ...files.map((file) => readFileSync(file, "utf8"))]));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[jt]s$/.test(name) && !/\.(test|kit)\./.test(name))
    .sort()
    .map((name) => join(folder, name));
}
