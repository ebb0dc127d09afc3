import { Type } from "../../../../terms/schema/type.ts";
import { startOfDay } from "../../../../terms/time/calendar.ts";
import type { ChargeModel } from "../../../../terms/money/charge.ts";
import { OperatorError } from "../../../../terms/operator-error.ts";
import type { PriceTerm } from "../../../../terms/money/price.ts";
import { credentialInput, requireTimeZone, timeZoneInput } from "../../../shared-inputs.ts";
import {
  aboveInput,
  amountInput,
  amountOf,
  begins,
  currencyInput,
  dayInput,
  requireDay,
  toWirePrice,
  wirePrice,
} from "../../../price-wire.ts";
import { requireCredential, unknownCredential } from "../../../require.ts";
import { text } from "../../../result-schemas.ts";
import { defineVerb } from "../../../verb.ts";

export default defineVerb({
  summary: "Set what calls with a credential cost, from a day on",
  description:
    "The newest price that has begun applies, and replaces the list price of the source. A source that is free bills nothing, so a price for it has to say with --per what the contract bills. Each request records the price of the moment at which it is sent, so a later price changes no past record. --above adds a volume step to the price with the same --from, which has to be set first. Setting the same --from and --above again replaces that step; the same --from without --above replaces the price.",
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --amount 0.35 --currency EUR --from 2026-01-01 --per match",
  input: {
    cred_id: credentialInput,
    amount: amountInput,
    currency: currencyInput,
    from: dayInput,
    per: Type.Optional(
      Type.Enum(["call", "match", "success"], {
        description: "What the contract bills, if it differs from what the source declares",
      }),
    ),
    above: Type.Optional(aboveInput),
    time_zone: Type.Optional(
      timeZoneInput(
        "The time zone of the contract's days and months, such as Europe/Berlin; UTC by default, or that of its other prices",
      ),
    ),
  },
  positional: ["cred_id"],
  role: "owner",
  changes: true,
  needs: ["store", "sources"],

  result: Type.Object({ cred_id: text, ...wirePrice }),

  async run({ cred_id, amount, currency, from, per, above, time_zone }, { act, store, sources, note }) {
    requireDay(from);
    const open = await store();
    const credential = await requireCredential(open, cred_id);
    const declared = (await sources()).find(credential.source)?.charge;
    const priced = await open.setPrice(act, credential, (known) => {
      const basic = above === undefined ? null : basicPrice(known, from);
      const likeOthers = (known.find((term) => begins(term, from)) ?? known[0])?.timeZone ?? "UTC";
      const timeZone = time_zone === undefined ? likeOthers : requireTimeZone(time_zone);
      const term: PriceTerm = {
        amount: amountOf(amount),
        currency,
        fromWallAt: startOfDay(from, timeZone),
        above: above ?? 0,
        per: per === undefined ? (basic?.per ?? null) : (`per_${per}` satisfies ChargeModel),
        timeZone,
      };
      if (term.per === null && declared === "free") throw neverCharged(credential.source);
      if (basic !== null) refuseUnlike(term, basic);
      else refuseToLeaveUnlike(term, from, known);
      return term;
    });
    if (priced === null) throw unknownCredential(cred_id);
    if (priced.replaced !== null) {
      const { amount: was, currency: code } = toWirePrice(priced.replaced);
      note(`It replaces ${was} ${code}. Requests that were sent keep the price that they recorded.`);
    } else if (priced.set.fromWallAt < act.wallAt)
      note(
        "It begins in the past. Requests that were sent before now keep the price that they recorded, and those without one stay unpriced.",
      );
    return { cred_id, ...toWirePrice(priced.set) };
  },
});

/** The source decides what is billed, or else the contract. */
function neverCharged(source: string): OperatorError {
  return new OperatorError(
    "refused",
    `${source} declares that its vendor bills nothing, so this price would never be charged. If the contract bills, say what: --per call, --per match or --per success.`,
  );
}

/** The price that a step belongs to. */
function basicPrice(known: readonly PriceTerm[], day: string): PriceTerm {
  const basic = known.find((term) => term.above === 0 && begins(term, day));
  if (basic !== undefined) return basic;
  throw new OperatorError(
    "refused",
    `There is no price from ${day} that a step could belong to. Set it without --above first; "datarun credential price list" shows those that exist.`,
  );
}

function refuseUnlike(step: PriceTerm, basic: PriceTerm): void {
  const unlike = difference(step, basic);
  if (unlike !== undefined) throw new OperatorError("invalid", `A step must have the same ${unlike} as its price.`);
}

/**
 * Refuses to replace a price by one in another currency, because its steps would keep theirs. Refuses another time zone
 * too: the day would begin at another time, both prices would be stored, and the later one would be valid.
 */
function refuseToLeaveUnlike(basic: PriceTerm, day: string, known: readonly PriceTerm[]): void {
  const sameDay = known.filter((term) => begins(term, day));
  const remove = `Remove it first: "datarun credential price remove" with --from ${day} removes the price with its steps.`;
  const elsewhere = sameDay.find((term) => term.timeZone !== basic.timeZone);
  if (elsewhere !== undefined) {
    throw new OperatorError("refused", `The price from ${day} has the time zone ${elsewhere.timeZone}. ${remove}`);
  }
  for (const step of sameDay.filter(({ above }) => above > 0)) {
    const unlike = difference(step, basic);
    if (unlike !== undefined)
      throw new OperatorError("refused", `The price from ${day} has a step with another ${unlike}. ${remove}`);
  }
}

/** The option by which two prices of a day differ, among those that must be equal. */
function difference(one: PriceTerm, other: PriceTerm): string | undefined {
  const names = { currency: "currency", per: "--per", timeZone: "time zone" } as const;
  const unlike = (["currency", "per", "timeZone"] as const).find((name) => one[name] !== other[name]);
  return unlike === undefined ? undefined : names[unlike];
}
