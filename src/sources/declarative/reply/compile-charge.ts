import type { ChargeModel } from "../../../terms/money/charge.ts";
import { Fault } from "../../../terms/fault.ts";
import { listPrice, type ListedReply, type Reply } from "../../../sdk/http.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import type { Price } from "../../../terms/money/price.ts";
import { highest, readListPrice } from "../../list-price.ts";
import { isTrue } from "../expressions/evaluate.ts";
import { ANSWER_PARTS, compileExpression, isOnlyAbout, type ReplyView } from "../expressions/expression.ts";
import type { ChargeFile, ChargeRowFile } from "../format/charge-format.ts";
import type { DocumentLocation } from "../format/read-document.ts";

/** When the vendor bills, according to the file. A rule that cannot be evaluated never makes a request free. */
export interface ChargeRule {
  /** Whether a request with these inputs is free, whatever the reply. */
  isFree(inputs: JsonObject): boolean;
  /**
   * The highest price of a request with these inputs; `undefined` if the file has a single price, which is the
   * source's.
   */
  mostFor(inputs: JsonObject): Price | null | undefined;
  /**
   * Reports the charge that this reply shows, apart from the charge model's rule for records. Returns whether the reply
   * was billed.
   */
  report(reply: Reply, view: ReplyView, inputs: JsonObject): boolean;
  /**
   * Whether a true condition excludes this reply from billing, even if the condition also makes the call fail. A false
   * condition does not decide it for a failure, whose body may lack the fields of the condition.
   */
  excludes(view: ReplyView, inputs: JsonObject): boolean;
}

const BILLED: ChargeRule = { isFree: () => false, mostFor: () => undefined, report: () => true, excludes: () => false };

/** @throws DeclarationError */
export function compileCharge(
  charge: ChargeFile | undefined,
  inputs: readonly string[],
  place: DocumentLocation,
): ChargeRule {
  if (charge === undefined || typeof charge === "string") return BILLED;
  if (isTable(charge)) return compileTable(charge, inputs, place);
  assertPrice(charge, place);
  if (charge.when === undefined) return BILLED;
  const row = compileRow(charge.when, true, inputs, place.in("when"));
  return {
    isFree: (known) => row.isKnownBeforehand && !row.holds({ inputs: known }),
    mostFor: () => undefined,
    report: (reply, view, known) => {
      const isBilled = row.holds({ ...view, inputs: known });
      if (!isBilled) reply.chargedAs("no");
      return isBilled;
    },
    excludes: () => false,
  };
}

function assertPrice(listed: ChargeRowFile, place: DocumentLocation): Price | null {
  const price = readListPrice(listed);
  return typeof price === "string"
    ? place.in("amount").refuse("format.value", price, "amount: 0.35, currency: EUR")
    : price;
}

export function isTable(charge: ChargeFile): charge is ChargeRowFile[] {
  return Array.isArray(charge);
}

/** The charge model for all replies that no row excludes. */
export function modelOfTable(rows: readonly ChargeRowFile[]): ChargeModel {
  return rows.at(-1)?.model ?? "per_call";
}

interface CompiledChargeRow {
  readonly isBilled: boolean;
  readonly isConditional: boolean;
  /** `null`: unknown. */
  readonly price: Price | null;
  /** Whether the row can be evaluated before there is a reply. */
  readonly isKnownBeforehand: boolean;
  holds(known: object): boolean;
}

function compileTable(files: readonly ChargeRowFile[], inputs: readonly string[], place: DocumentLocation): ChargeRule {
  const rows = files.map((file, at): CompiledChargeRow => {
    const there = place.in(at);
    const { when, amount, model } = file;
    const isBilled = amount !== 0;
    const price = assertPrice(file, there);
    if (when === undefined) {
      if (at < files.length - 1)
        there.refuse("format.value", "a row without when always applies, so the rows after it never do", "put it last");
      return { isBilled, isConditional: false, price, isKnownBeforehand: true, holds: () => true };
    }
    if (amount === undefined)
      there.refuse(
        "format.missing_key",
        'a row with when needs the key "amount"',
        "write amount: 0 if it is not billed",
      );
    if (model !== undefined)
      there
        .in("model")
        .refuseKey("format.value", "model applies to all that is billed", "put it into a last row without when");
    return { isBilled, isConditional: true, price, ...compileRow(when, isBilled, inputs, there.in("when")) };
  });
  assertOneCurrency(rows, place);
  const hasPrices = rows.some(({ price }) => price !== null);
  /** The rows of which each can still be the first one that applies. The last is `OTHER` if possibly no row applies. */
  const possible = (known: object, hasAnswer: boolean): readonly CompiledChargeRow[] => {
    const open: CompiledChargeRow[] = [];
    for (const row of rows) {
      if (!hasAnswer && !row.isKnownBeforehand) open.push(row);
      else if (row.holds(known)) return [...open, row];
    }
    return [...open, OTHER];
  };
  return {
    isFree(known) {
      const first = possible({ inputs: known }, false)[0]!;
      return first.isKnownBeforehand && !first.isBilled;
    },
    mostFor: (known) => (hasPrices ? highest(possible({ inputs: known }, false).map(({ price }) => price)) : undefined),
    report: (reply, view, known) => {
      const row = possible({ ...view, inputs: known }, true)[0]!;
      if (!row.isBilled) reply.chargedAs("no");
      else if (hasPrices) (reply as Reply & Partial<ListedReply>)[listPrice]?.(row.price);
      return row.isBilled;
    },
    excludes(view, known) {
      const first = possible({ ...view, inputs: known }, true)[0]!;
      return first.isConditional && !first.isBilled;
    },
  };
}

/** A request to which no row applies is billed, at an unknown price. */
const OTHER: CompiledChargeRow = {
  isBilled: true,
  isConditional: false,
  price: null,
  isKnownBeforehand: true,
  holds: () => true,
};

function assertOneCurrency(rows: readonly CompiledChargeRow[], place: DocumentLocation): void {
  const currencies = new Set(rows.flatMap(({ price }) => price?.currency ?? []));
  if (currencies.size > 1)
    place.refuse("format.value", "all rows of a list have one currency", [...currencies].join(" or "));
}

/** `otherwise`: the result if the expression cannot be evaluated. */
function compileRow(when: string, otherwise: boolean, inputs: readonly string[], place: DocumentLocation) {
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

/** The same failure, without a statement about the charge of any request. */
export function unreported({ code, detail, cause }: Fault): Fault {
  return new Fault(code, detail, { cause });
}
