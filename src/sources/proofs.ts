import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../terms/json/json.ts";

/** Types by path, such as `{"company.officers[].name": "text"}`. The path of the whole document is the empty text. */
export type PathTypes = Readonly<Record<string, string>>;

/** That a version of a source has got an answer from its real vendor. Contains no value of a reply. */
export interface Proof {
  /** The digest of the source's version. */
  readonly digest: string;
  /** The day in UTC, `YYYY-MM-DD`. */
  readonly date: string;
  /** The version of the service. */
  readonly build: string;
  /** Whether the vendor had a record. */
  readonly match: boolean;
  /** The vendor's replies, in order, those to a login included. */
  readonly replies: readonly { readonly status: number; readonly shape: PathTypes }[];
  readonly output: PathTypes;
}

/** The proofs of a folder, by the id of the source. */
export type Proofs = Readonly<Record<string, Proof>>;

/** The file of proofs in a project, and in the catalog. */
export function proofsFile(folder: string): string {
  return join(folder, "datarun.proofs.json");
}

/** The proofs of a folder; none if it has no such file. @throws Error that names the file */
export function readProofs(folder: string): Proofs {
  const file = proofsFile(folder);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    const proofs: unknown = JSON.parse(text);
    if (isJsonObject(proofs) && Object.values(proofs).every(isProof)) return proofs as unknown as Proofs;
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${file} has not the form of a file of proofs`);
}

export function proofsText(proofs: Proofs): string {
  const rows = Object.entries(proofs).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
}

function isProof(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { digest, date, build, match } = value;
  return [digest, date, build].every((each) => typeof each === "string") && typeof match === "boolean";
}
