import type { ChargeModel } from "../../../terms/charge.ts";
import type { JsonObject } from "../../../terms/json.ts";
import { isTrue } from "../expressions/evaluate.ts";
import { ANSWER_PARTS, compileExpression, isOnlyAbout, type ReplyView } from "../expressions/expression.ts";
import type { ChargeFile, ChargeRowFile } from "../format/charge-format.ts";
import type { Place } from "../format/read-document.ts";

/** When the vendor bills, according to the file. A rule that cannot be evaluated never makes a request free. */
export interface ChargeRule {
  /** Whether a request with these inputs is free, whatever the reply. */
  isFree(inputs: JsonObject): boolean;
  /** Whether this reply was billed, apart from what the charge model says about records. */
  isBilled(view: ReplyView, inputs: JsonObject): boolean;
  /**
   * Whether a condition that holds says that this reply is not billed, even if the call fails by it. A condition that
   * does not hold says nothing of a failure, whose body may lack what the condition is about.
   */
  excludes(view: ReplyView, inputs: JsonObject): boolean;
}

const BILLED: ChargeRule = { isFree: () => false, isBilled: () => true, excludes: () => false };

/** @throws DeclarationError */
export function compileCharge(charge: ChargeFile | undefined, inputs: readonly string[], place: Place): ChargeRule {
  if (charge === undefined || typeof charge === "string") return BILLED;
  if (isTable(charge)) return compileTable(charge, inputs, place);
  if (charge.when === undefined) return BILLED;
  const row = compileRow(charge.when, true, inputs, place.in("when"));
  return {
    isFree: (known) => row.isKnownBeforehand && !row.holds({ inputs: known }),
    isBilled: (view, known) => row.holds({ ...view, inputs: known }),
    excludes: () => false,
  };
}

export function isTable(charge: ChargeFile): charge is ChargeRowFile[] {
  return Array.isArray(charge);
}

/** The charge model for everything that no row excludes. */
export function modelOfTable(rows: readonly ChargeRowFile[]): ChargeModel {
  return rows.at(-1)?.model ?? "per_call";
}

interface Row {
  readonly isBilled: boolean;
  readonly isConditional: boolean;
  /** Whether it can be evaluated before there is a reply. */
  readonly isKnownBeforehand: boolean;
  holds(known: object): boolean;
}

function compileTable(files: readonly ChargeRowFile[], inputs: readonly string[], place: Place): ChargeRule {
  const rows = files.map((file, at): Row => {
    const there = place.in(at);
    const { when, amount, model } = file;
    const isBilled = amount !== 0;
    if (when === undefined) {
      if (at < files.length - 1)
        there.refuse("format.value", "a row without when holds always, so those after it never count", "put it last");
      return { isBilled, isConditional: false, isKnownBeforehand: true, holds: () => true };
    }
    if (amount === undefined)
      there.refuse("format.missing_key", 'a row with when needs the key "amount"', "0 is nothing");
    if (model !== undefined)
      there
        .in("model")
        .refuseKey("format.value", "the model is that of all that is billed", "put it into a last row without when");
    return { isBilled, isConditional: true, ...compileRow(when, isBilled, inputs, there.in("when")) };
  });
  /** The result of the first row that holds; `null` if that depends on a reply that is not there yet. */
  const billing = (known: object, hasAnswer: boolean): boolean | null => {
    for (const row of rows) {
      if (!hasAnswer && !row.isKnownBeforehand) return null;
      if (row.holds(known)) return row.isBilled;
    }
    return true;
  };
  return {
    isFree: (known) => billing({ inputs: known }, false) === false,
    isBilled: (view, known) => billing({ ...view, inputs: known }, true) !== false,
    excludes(view, known) {
      const first = rows.find((row) => row.holds({ ...view, inputs: known }));
      return first !== undefined && first.isConditional && !first.isBilled;
    },
  };
}

/** `otherwise`: the result if the expression cannot be evaluated. */
function compileRow(when: string, otherwise: boolean, inputs: readonly string[], place: Place) {
  const names = { roots: ["inputs", ...ANSWER_PARTS], below: { inputs } };
  const evaluate = compileExpression<object>(when, place, names);
  return {
    isKnownBeforehand: isOnlyAbout(when, ["inputs"], place),
    holds(known: object): boolean {
      try {
        return isTrue(evaluate(known));
      } catch {
        return otherwise;
      }
    },
  };
}
