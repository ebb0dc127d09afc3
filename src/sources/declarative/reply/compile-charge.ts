import type { ChargeModel } from "../../../terms/charge.ts";
import type { JsonObject } from "../../../terms/json.ts";
import { isTrue } from "../expressions/evaluate.ts";
import { ANSWER_PARTS, compileExpression, isOnlyAbout, type ReplyView } from "../expressions/expression.ts";
import type { ChargeFile, ChargeRowFile } from "../format/charge-format.ts";
import type { Place } from "../format/read-document.ts";

/** What a file says of when its vendor bills. Where it cannot be worked out, the bill is not made smaller by that. */
export interface ChargeRule {
  /** Whatever the answer will be, a request with these inputs costs nothing. */
  isFree(inputs: JsonObject): boolean;
  /** This answer, of which it is known whether it is a record, was billed by the charge model. */
  isBilled(view: ReplyView, inputs: JsonObject): boolean;
}

const BILLED: ChargeRule = { isFree: () => false, isBilled: () => true };

/** @throws DeclarationError */
export function compileCharge(charge: ChargeFile | undefined, inputs: readonly string[], place: Place): ChargeRule {
  if (charge === undefined || typeof charge === "string") return BILLED;
  if (isTable(charge)) return compileTable(charge, inputs, place);
  if (charge.when === undefined) return BILLED;
  const row = compileRow(charge.when, true, inputs, place.in("when"));
  return {
    isFree: (known) => row.isKnownBeforehand && !row.holds({ inputs: known }),
    isBilled: (view, known) => row.holds({ ...view, inputs: known }),
  };
}

export function isTable(charge: ChargeFile): charge is ChargeRowFile[] {
  return Array.isArray(charge);
}

/** What is billed where no row says otherwise. */
export function modelOfTable(rows: readonly ChargeRowFile[]): ChargeModel {
  return rows.at(-1)?.model ?? "per_call";
}

interface Row {
  readonly isBilled: boolean;
  /** Without any answer. */
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
      return { isBilled, isKnownBeforehand: true, holds: () => true };
    }
    if (amount === undefined)
      there.refuse("format.missing_key", 'a row with when needs the key "amount"', "0 is nothing");
    if (model !== undefined)
      there
        .in("model")
        .refuseKey("format.value", "the model is that of all that is billed", "put it into a last row without when");
    return { isBilled, ...compileRow(when, isBilled, inputs, there.in("when")) };
  });
  /** Of the first row that holds; `null` where that takes an answer which there is not. */
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
  };
}

/** `otherwise`: what it is taken for where it cannot be worked out. */
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
