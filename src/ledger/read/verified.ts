/** The result of checking every run of a ledger. */
export interface Verified {
  /** Runs that are as they were written. */
  readonly ok: number;
  /** Runs that could be read but were written before checksums existed, so they cannot be checked. */
  readonly unchecked: number;
  /** Runs that are not as they were written, or cannot be read. */
  readonly damaged: number;
  /** Runs that are gone but were not deleted. */
  readonly missing: number;
  /** What is known about damaged and missing runs, for the first thousand. */
  readonly findings: readonly Finding[];
  /** What else is wrong with the ledger, such as an index that lacks a run, mostly in the words of the database. */
  readonly structure: readonly string[];
}

export interface Finding {
  readonly what: "altered" | "unreadable" | "missing";
  /** Null if nothing that is left contains it. */
  readonly transactionId: string | null;
  /** Its number in the journal of its machine; null on a shared ledger. */
  readonly number: number | null;
}

const FINDINGS_MAX = 1_000;
const STRUCTURE_MAX = 100;

/** Collects the results, in limited memory. */
export class Tally {
  #ok = 0;
  #unchecked = 0;
  #damaged = 0;
  #missing = 0;
  readonly #findings: Finding[] = [];
  readonly #structure: string[] = [];

  sound(checked: boolean): void {
    if (checked) this.#ok += 1;
    else this.#unchecked += 1;
  }

  found(finding: Finding): void {
    if (finding.what === "missing") this.#missing += 1;
    else this.#damaged += 1;
    if (this.#findings.length < FINDINGS_MAX) this.#findings.push(finding);
  }

  /** Missing runs of which only the number is known. */
  missing(runs: number): void {
    for (let at = 0; at < runs; at += 1) this.found({ what: "missing", transactionId: null, number: null });
  }

  structure(says: string): void {
    if (this.#structure.length < STRUCTURE_MAX && !this.#structure.includes(says)) this.#structure.push(says);
  }

  result(): Verified {
    const [ok, unchecked, damaged, missing] = [this.#ok, this.#unchecked, this.#damaged, this.#missing];
    return { ok, unchecked, damaged, missing, findings: this.#findings, structure: this.#structure };
  }
}
