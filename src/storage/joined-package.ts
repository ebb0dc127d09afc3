import { constants, readdirSync, statSync } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { readKept, writeKept } from "../terms/kept-text.ts";

/** Makes one ES module of an entry and everything that it imports. */
export type JoinModules = (entry: string) => Promise<string>;

/** A file of a package as it was: its path in the package, its size, and when it was last changed in any way. */
type Evidence = readonly [file: string, bytes: number, changedAtMs: number];

const COMMENT = "// ";

/**
 * A package of many small modules, kept as one for the next start: Node spends most of an import on finding and reading
 * them. The one is used only if all files of the package are those of which it was made, by size and time of change.
 */
export class JoinedPackage {
  readonly #entry: string;
  readonly #root: string;
  readonly #place: string;
  #isKept = false;

  /** @param entry the path of the module that the package exports, in its folder in `node_modules` */
  constructor(name: string, entry: string, folder: string) {
    const inModules = join("node_modules", name) + sep;
    this.#entry = entry;
    this.#root = entry.slice(0, entry.lastIndexOf(inModules) + inModules.length);
    this.#place = join(folder, `${name}.js`);
  }

  /** What the package exports. */
  async load(): Promise<unknown> {
    const kept = await readKept(this.#place, COMMENT);
    this.#isKept = kept !== null && this.#isMadeOfPresent(kept);
    return import(pathToFileURL(this.#isKept ? this.#place : this.#entry).href);
  }

  /** Joins it for the next start, unless that is done. @throws when it cannot be joined or written */
  async keep(joinModules: JoinModules): Promise<void> {
    if (this.#isKept) return;
    // Joining takes longer than it saves where the result cannot be kept.
    await mkdir(dirname(this.#place), { recursive: true, mode: 0o700 });
    await access(dirname(this.#place), constants.W_OK);
    const evidence = filesIn(this.#root).map((file) => this.#evidenceOf(file));
    const code = await joinModules(this.#entry);
    await writeKept(this.#place, `${COMMENT}${JSON.stringify(evidence)}\n${code}`, COMMENT);
    this.#isKept = true;
  }

  #isMadeOfPresent(kept: string): boolean {
    const evidence = JSON.parse(kept.slice(COMMENT.length, kept.indexOf("\n"))) as readonly Evidence[];
    return evidence.every((then) => {
      const now = this.#evidenceOf(then[0]);
      return now[1] === then[1] && now[2] === then[2];
    });
  }

  /** Of a file that is gone, what no file has. */
  #evidenceOf(file: string): Evidence {
    const stats = statSync(join(this.#root, file), { throwIfNoEntry: false });
    return [file, stats?.size ?? -1, stats?.ctimeMs ?? -1];
  }
}

/** Its code, and what says which of it is exported. */
function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:[cm]?js|json)$/.test(name));
}
