import { Fault, FAULT_OF_KIND, faultCodeOfStatus } from "../../../terms/fault.ts";
import { ANSWER_NAMES, compilePredicate, type ExpressionNames, type ReplyView } from "../expressions/expression.ts";
import type { ErrorRowFile } from "../format/exchange-format.ts";
import type { SourceDeclarationFile } from "../format/format.ts";
import type { DocumentLocation } from "../format/read-document.ts";

export type ReplyVerdict = "record" | "no_record";

/**
 * Decides what a reply means: first by the file's `errors`, in order, then by `match`, then by the general meaning of
 * the status. A reply that none of them covers violates the contract, and so does one that matches both `record` and
 * `no_record`. @throws Fault for a failure
 */
export type Judge = (view: ReplyView) => ReplyVerdict;

/** @throws DeclarationError */
export function compileJudge(
  file: Pick<SourceDeclarationFile, "errors" | "match">,
  root: DocumentLocation,
  names: ExpressionNames = ANSWER_NAMES,
): Judge {
  const failing = compileErrors(file.errors, root.in("errors"), names);
  const isRecord = compilePredicate(file.match.record, root.in("match", "record"), names);
  const isNone = compilePredicate(file.match.no_record, root.in("match", "no_record"), names);
  return (view) => {
    failing(view);
    const record = isRecord(view);
    const none = isNone(view);
    if (record && none)
      throw new Fault("source.contract", { problem: "it fits the rules for a record and for no record" });
    if (record) return "record";
    if (none) return "no_record";
    throw (
      faultOfStatus(view.status) ??
      new Fault("source.contract", { problem: "it fits neither the rule for a record nor the one for no record" })
    );
  };
}

/** The parts of a file that may use a reply's body. */
type Rules = Pick<SourceDeclarationFile, "errors" | "match" | "map" | "map_no_record" | "output" | "charge">;

/** Whether any rule uses the body. If none does, the body need not be parsed and the reply is returned unchanged. */
export function readsBody({ errors = [], match, charge, ...made }: Rules): boolean {
  if (made.map !== undefined || made.map_no_record !== undefined || made.output !== undefined) return true;
  const billed = typeof charge === "object" ? [charge].flat().map(({ when }) => when) : [];
  const rules = [match.record, match.no_record, ...billed, ...errors.map(({ when }) => when.predicate)];
  // `@` and `$` are the whole reply with its body, and a name may be written with escapes.
  return rules.some((rule) => rule !== undefined && /body|[@$*\\]/.test(rule));
}

/** Throws the fault of the first row that applies, if there is one. */
export type Failing = (view: ReplyView) => void;

/** @throws DeclarationError */
export function compileErrors(
  rows: readonly ErrorRowFile[] = [],
  place: DocumentLocation,
  names: ExpressionNames = ANSWER_NAMES,
): Failing {
  const compiled = rows.map((row, index) => {
    const { status, predicate } = row.when;
    const holds =
      predicate === undefined ? undefined : compilePredicate(predicate, place.in(index, "when", "predicate"), names);
    const statusFits = compileStatus(status, place.in(index, "when", "status"));
    return { row, fits: (view: ReplyView) => statusFits(view.status) && (holds === undefined || holds(view)) };
  });
  return (view) => {
    const found = compiled.find(({ fits }) => fits(view));
    if (found !== undefined) throw faultOfRow(found.row, view.status);
  };
}

function compileStatus(status: ErrorRowFile["when"]["status"], place: DocumentLocation): (status: number) => boolean {
  if (status === undefined) return () => true;
  const statuses = new Set(
    Array.isArray(status) ? status : [typeof status === "string" ? Number(`${status[0]}00`) : status],
  );
  for (const one of statuses) {
    if (one >= 300 && one < 400) {
      place.refuse(
        "format.value",
        "a redirect is not judged as a reply",
        "set request.redirects to follow it; else it fails as contract, free",
      );
    }
    if (one < 200 || one > 599) place.refuse("format.value", `${one} is not a status that a reply can have`);
  }
  if (typeof status === "string") return (given) => Math.floor(given / 100) === Number(status[0]);
  return (given) => statuses.has(given);
}

function faultOfRow(row: ErrorRowFile, status: number): Fault {
  const detail = { status, problem: "it reports a failure" };
  return new Fault(FAULT_OF_KIND[row.kind], detail, { reported: { charged: row.charged } });
}

/** The meaning of a status that the file does not mention; `null` for 2xx and 3xx. */
export function faultOfStatus(status: number): Fault | null {
  const code = faultCodeOfStatus(status);
  return code === null ? null : new Fault(code, { status }, { reported: {} });
}
