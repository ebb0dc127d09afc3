import { Fault, FAULT_OF_KIND, faultCodeOfStatus } from "../../../terms/fault.ts";
import type { JsonObject } from "../../../terms/json.ts";
import { didYouMean } from "../../../terms/nearest.ts";
import { isTrue } from "../expressions/evaluate.ts";
import { ANSWER_NAMES, compileExpression, compilePredicate, type ReplyView } from "../expressions/expression.ts";
import type { ErrorRowFile, SourceFile } from "../format/format.ts";
import type { Place } from "../format/read-document.ts";

export type Verdict = "record" | "no_record";

/**
 * What an answer means: the author's `errors` rows in order, then `match`, then what statuses mean everywhere. An answer
 * that none of them knows is off contract, and so is one that is both a record and none. @throws Fault for a failure
 */
export type Judge = (view: ReplyView) => Verdict;

/** @throws DeclarationError */
export function compileJudge(file: Pick<SourceFile, "errors" | "match">, root: Place): Judge {
  const failing = compileErrors(file.errors, root.in("errors"));
  const isRecord = compilePredicate(file.match.record, root.in("match", "record"));
  const isNone = compilePredicate(file.match.no_record, root.in("match", "no_record"));
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

/** Of the parts of a file that are compiled, those that may look at an answer's body. */
type Rules = Pick<SourceFile, "errors" | "match" | "map" | "map_no_record" | "output" | "charge">;

/** Whether anything may look at the body: false where only statuses and headers are judged by, and the reply goes on as it is. */
export function looksAtBody({ errors = [], match, charge, ...made }: Rules): boolean {
  if (made.map !== undefined || made.map_no_record !== undefined || made.output !== undefined) return true;
  const billed = typeof charge === "object" ? charge.when : undefined;
  const rules = [match.record, match.no_record, billed, ...errors.map(({ when }) => when.predicate)];
  // The whole answer has it too, and a name may be written with escapes.
  return rules.some((rule) => rule !== undefined && /body|[@$*\\]/.test(rule));
}

/** Throws the fault of the first row that holds, if any does. */
export type Failing = (view: ReplyView) => void;

/** @throws DeclarationError */
export function compileErrors(rows: readonly ErrorRowFile[] = [], place: Place): Failing {
  const compiled = rows.map((row, index) => {
    const { status, predicate } = row.when;
    const holds =
      predicate === undefined ? undefined : compilePredicate(predicate, place.in(index, "when", "predicate"));
    const statusFits = compileStatus(status, place.in(index, "when", "status"));
    return { row, fits: (view: ReplyView) => statusFits(view.status) && (holds === undefined || holds(view)) };
  });
  return (view) => {
    const found = compiled.find(({ fits }) => fits(view));
    if (found !== undefined) throw faultOfRow(found.row, view.status);
  };
}

function compileStatus(status: ErrorRowFile["when"]["status"], place: Place): (status: number) => boolean {
  if (status === undefined) return () => true;
  const statuses = new Set(
    Array.isArray(status) ? status : [typeof status === "string" ? Number(`${status[0]}00`) : status],
  );
  for (const one of statuses) {
    if (one >= 300 && one < 400) {
      place.refuse(
        "format.value",
        "a redirect is never an answer",
        "set request.redirects to follow it; else it fails as contract, free",
      );
    }
    if (one < 200 || one > 599) place.refuse("format.value", `no answer has the status ${one}`);
  }
  if (typeof status === "string") return (given) => Math.floor(given / 100) === Number(status[0]);
  return (given) => statuses.has(given);
}

function faultOfRow(row: ErrorRowFile, status: number): Fault {
  const detail = { status, problem: "it reports a failure" };
  return new Fault(FAULT_OF_KIND[row.kind], detail, { reported: { charged: row.charged } });
}

/** What a status means where the file says nothing about it; `null` for 2xx and 3xx. */
export function faultOfStatus(status: number): Fault | null {
  const code = faultCodeOfStatus(status);
  return code === null ? null : new Fault(code, { status }, { reported: {} });
}

/** What a file says of when its vendor bills. Where it cannot be worked out, the charge model alone counts. */
export interface ChargeRule {
  /** Whatever the answer will be, a request with these inputs costs nothing. */
  isFree(inputs: JsonObject): boolean;
  /** This answer, of which it is known whether it is a record, was billed by the charge model. */
  isBilled(view: ReplyView, inputs: JsonObject): boolean;
}

const BILLED: ChargeRule = { isFree: () => false, isBilled: () => true };

/** @throws DeclarationError */
export function compileCharge(charge: SourceFile["charge"], inputs: readonly string[], place: Place): ChargeRule {
  const when = typeof charge === "object" ? charge.when : undefined;
  if (when === undefined) return BILLED;
  const evaluate = compileExpression<object>(when, place.in("when"), ["inputs", ...ANSWER_NAMES]);
  checkInputs(when, inputs, place.in("when"));
  const holds = (known: object): boolean => {
    try {
      return isTrue(evaluate(known));
    } catch {
      return true;
    }
  };
  const beforehand = isAboutInputs(when, place);
  return {
    isFree: (inputs) => beforehand && !holds({ inputs }),
    isBilled: (view, inputs) => holds({ ...view, inputs }),
  };
}

/** One that is misspelled would never hold, and nothing would ever be billed. */
function checkInputs(when: string, declared: readonly string[], place: Place): void {
  for (const [, name] of when.matchAll(/(?<![.\w"'`])inputs\.([A-Za-z_]\w*)/g)) {
    if (!declared.includes(name!))
      place.refuse("expression.unknown_name", `there is no input "${name!}"`, didYouMean(name!, declared));
  }
}

/** `@` is all that is known, the answer too. */
function isAboutInputs(when: string, place: Place): boolean {
  if (when.includes("@")) return false;
  try {
    compileExpression<object>(when, place, ["inputs"]);
    return true;
  } catch {
    return false;
  }
}
