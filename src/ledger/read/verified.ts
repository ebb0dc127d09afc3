/** The result of checking every run of a ledger. */
export interface Verified {
  /** Runs that match their checksum. */
  readonly ok: number;
  /** Runs that could be read but were written before checksums existed, so they cannot be checked. */
  readonly unchecked: number;
  /** Runs that do not match their checksum, or cannot be read. */
  readonly damaged: number;
  /** Runs that do not exist although they were not deleted. */
  readonly missing: number;
  /** Details of damaged and missing runs, for the first thousand. */
  readonly findings: readonly Finding[];
  /** Other damage of the ledger, such as an index that lacks a run, mostly as reported by the database. */
  readonly structure: readonly string[];
}

export interface Finding {
  readonly what: "altered" | "unreadable" | "missing";
  /** Null if no remaining row contains it. */
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

  /** Missing runs of unknown id. */
  missing(runs: number): void {
    for (let at = 0; at < runs; at += 1) this.found({ what: "missing", transactionId: null, number: null });
  }

  structure(problem: string): void {
    if (this.#structure.length < STRUCTURE_MAX && !this.#structure.includes(problem)) this.#structure.push(problem);
  }

  result(): Verified {
    const [ok, unchecked, damaged, missing] = [this.#ok, this.#unchecked, this.#damaged, this.#missing];
    return { ok, unchecked, damaged, missing, findings: this.#findings, structure: this.#structure };
  }
}
