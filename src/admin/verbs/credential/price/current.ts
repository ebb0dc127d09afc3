import { PREFIX } from "../../../../terms/ids.ts";
import { termAt } from "../../../../terms/money/price.ts";
import { Type } from "../../../../terms/schema/type.ts";
import { organizationInput } from "../../../shared-inputs.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../../pagination.ts";
import { toWirePrice } from "../../../price-wire.ts";
import { requireOrganization } from "../../../require.ts";
import { count, oneOf, orNull, rowsOf, text, time, yesOrNo } from "../../../result-schemas.ts";
import { toWireCharge } from "../../../source-wire.ts";
import { defineVerb } from "../../../verb.ts";

export default defineVerb({
  summary: "Show what each credential of an organization costs now",
  description:
    "For each credential: its own price, if one has begun, or else the list price of its source. AMOUNT is the price of the first call of a month; STEPS says how many volume steps follow, which `credential price list` shows.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { org: organizationInput, ...pagedById(PREFIX.credential) },
  role: "viewer",
  changes: false,
  needs: ["store", "sources"],

  result: Type.Object({
    credentials: rowsOf({
      cred_id: text,
      name: orNull(text),
      source: text,
      disabled: yesOrNo,
      price: oneOf("own", "list", "none"),
      amount: orNull(text),
      currency: orNull(text),
      per: { ...orNull(text), description: "What the vendor bills; null if the source no longer exists" },
      from: orNull(time),
      steps: count,
    }),
    ...nextCursor,
  }),

  async run({ org, ...page }, { clock, store, sources, note }) {
    const open = await store();
    await requireOrganization(open, org);
    const { lines, next } = await readPage(page, note, idOf, (asked) =>
      open.credentials({ organizationId: org }, asked),
    );
    const [terms, listing] = [await open.pricesOf(lines.map(({ id }) => id)), await sources()];
    const ofCredential = Map.groupBy(terms, ({ credentialId }) => credentialId);
    const credentials = lines.map(({ id, name, source, disabled }) => {
      const own = ofCredential.get(id) ?? [];
      const currentTerm = termAt(own, clock.wall(), 0);
      const declared = listing.find(source);
      const charge = declared === undefined ? null : toWireCharge(declared);
      const about = { cred_id: id, name, source, disabled };
      const model = charge?.model.replace("per_", "") ?? null;
      if (currentTerm === null) {
        const list = charge?.list_price ?? null;
        return {
          ...about,
          price: list === null ? "none" : "list",
          amount: list?.amount ?? null,
          currency: list?.currency ?? null,
          per: model,
          from: null,
          steps: 0,
        };
      }
      const { amount, currency, per, from } = toWirePrice(currentTerm);
      const steps = own.filter(({ fromWallAt, above }) => fromWallAt === currentTerm.fromWallAt && above > 0).length;
      return { ...about, price: "own", amount, currency, per: currentTerm.per === null ? model : per, from, steps };
    });
    return { credentials, ...next };
  },
});
