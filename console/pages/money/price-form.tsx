import { useState } from "preact/hooks";
import type { InputOf, RowOf } from "../../api/verb-types.ts";
import { useAct } from "../../parts/act.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { CURRENCIES } from "./currencies.ts";

interface PriceFormProps {
  readonly id: string;
  readonly known: readonly RowOf<"credential price list", "prices">[];
  readonly onClose: () => void;
  readonly onSet: () => void;
}

const NOTHING = { amount: "", from: "", per: "", above: "", zone: "" };
/** Without its own currency, a new price has the currency of the known prices, even if they load later. */
type Draft = typeof NOTHING & { readonly currency?: string };

/** Sets a price of a credential from a day on, or adds a volume step. */
export function PriceForm({ id, known, onClose, onSet }: PriceFormProps) {
  const { isBusy, error, run } = useAct("credential price set");
  const [typed, setTyped] = useState<Draft>({ ...NOTHING, from: new Date().toISOString().slice(0, 10) });
  const draft = { currency: known[0]?.currency ?? "", ...typed };
  const field = (name: keyof Draft) => ({
    name,
    value: draft[name],
    onValue: (value: string) => setTyped({ ...typed, [name]: value }),
  });
  return (
    <Dialog title="Set a price" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(toInput(id, draft)).then((set) => set !== undefined && onSet());
        }}
      >
        <div class="filter">
          <TextField label="Amount" inputMode="decimal" required placeholder="0.35" {...field("amount")} />
          <TextField label="Currency" required placeholder="EUR" list={CURRENCIES} {...field("currency")} />
          <TextField label="From" type="date" required {...field("from")} />
          <SelectField label="Billed per" choices={PER} {...field("per")} />
        </div>
        <div class="filter">
          <TextField
            label="Above calls per month"
            inputMode="numeric"
            placeholder="none"
            hint="Adds a volume step to the price that begins on this day."
            {...field("above")}
          />
          <TextField
            label="Time zone"
            placeholder="UTC"
            hint="For days and months of the contract, such as Europe/Berlin."
            {...field("zone")}
          />
        </div>
        <p>{sentenceOf(draft)}</p>
        {error && <Failure error={error} />}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            Set price
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const PER = [
  { value: "", label: "as the source declares" },
  { value: "call", label: "call" },
  { value: "match", label: "match" },
  { value: "success", label: "success" },
];

function toInput(
  id: string,
  { amount, currency, from, per, above, zone }: Required<Draft>,
): InputOf<"credential price set"> {
  return {
    cred_id: id,
    amount: amount.trim(),
    currency: currency.trim().toUpperCase(),
    from,
    ...(per && { per }),
    // A value that is not a number is sent unchanged, because the service has the error message.
    ...(above.trim() && { above: /^\d+$/.test(above.trim()) ? Number(above) : above }),
    ...(zone.trim() && { time_zone: zone.trim() }),
  } as InputOf<"credential price set">;
}

function sentenceOf({ amount, currency, from, above }: Required<Draft>): string {
  const price = amount && currency ? `${amount} ${currency.toUpperCase()}` : "this amount";
  const which = above.trim() === "" ? "each billed call costs" : `each call beyond ${above} in a month costs`;
  return `From ${from || "…"} on, ${which} ${price}. Requests that were sent already keep their price.`;
}
