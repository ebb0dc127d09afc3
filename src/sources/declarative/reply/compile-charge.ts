import type { JsonObject } from "../../../terms/json.ts";
import { isTrue } from "../expressions/evaluate.ts";
import { ANSWER_NAMES, compileExpression, type ReplyView } from "../expressions/expression.ts";
import type { SourceFile } from "../format/format.ts";
import { didYouMean } from "../../../terms/nearest.ts";
import type { Place } from "../format/read-document.ts";

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
