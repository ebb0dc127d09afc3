import { useState } from "preact/hooks";
import type { InputOf } from "../../api/verb-types.ts";
import { useAct } from "../../parts/act.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField, TextField, type Choice } from "../../parts/fields.tsx";
import { mayUse } from "../../session.ts";
import type { Attempt, Call } from "./run-words.ts";

interface SettleChargeProps {
  readonly transaction: string;
  readonly call: Call;
  /** Missing for a call without any recorded request. */
  readonly attempt?: Attempt;
  /** The name of the organization. */
  readonly organization: string;
  readonly onDone: () => void;
}

/** Records whether a request was charged, after a check of the vendor's invoice. */
export function SettleCharge(props: SettleChargeProps) {
  const [isAsking, setAsking] = useState(false);
  if (!mayUse("ledger reconcile")) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)} label={`Settle the charge of ${aboutOf(props)}`}>
        Settle
      </Button>
      {isAsking && <SettleDialog {...props} onClose={() => setAsking(false)} />}
    </>
  );
}

type Charged = InputOf<"ledger reconcile">["charged"];

const CHOICES: readonly Choice[] = [
  { value: "yes", label: "Yes, the vendor charged it" },
  { value: "no", label: "No, it is not on the invoice" },
  { value: "unknown", label: "It cannot be determined" },
];

function SettleDialog({ onClose, onDone, ...props }: SettleChargeProps & { readonly onClose: () => void }) {
  const { transaction, call, attempt, organization } = props;
  const [charged, setCharged] = useState<Charged>(attempt?.charged === "yes" ? "no" : "yes");
  const [amount, setAmount] = useState("");
  const [currency, setCurrency] = useState("");
  const [note, setNote] = useState("");
  const { isBusy, error, run } = useAct("ledger reconcile");
  const isPriced = charged === "yes";
  const recorded =
    attempt?.price === null || attempt === undefined ? undefined : `${attempt.price} ${attempt.currency}`;

  async function settle(): Promise<void> {
    const billed =
      isPriced && amount.trim() !== ""
        ? { amount: amount.trim(), ...(currency.trim() !== "" && { currency: currency.trim().toUpperCase() }) }
        : {};
    const about = { transaction, call: call.ordinal, ...(attempt && { attempt: attempt.number }) };
    const result = await run({ ...about, charged, note: note.trim(), ...billed });
    if (result === undefined) return;
    onClose();
    onDone();
  }

  return (
    <Dialog title="Settle a charge" onClose={onClose}>
      <p>
        This records for <bdi>{organization}</bdi> whether {call.source} charged {aboutOf(props)}. Sums and budgets are
        updated. The earlier record is kept, with your name, the time and the reason.
      </p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void settle();
        }}
      >
        <SelectField
          label="Was it charged?"
          choices={CHOICES}
          value={charged}
          onValue={(value) => setCharged(value as Charged)}
        />{" "}
        {isPriced && (
          <TextField
            label="Amount billed"
            inputMode="decimal"
            value={amount}
            onValue={setAmount}
            hint={recorded === undefined ? "No price is recorded." : `Empty: the recorded price, ${recorded}.`}
          />
        )}
        {isPriced && amount.trim() !== "" && (
          <TextField
            label="Currency"
            value={currency}
            onValue={setCurrency}
            placeholder={attempt?.currency ?? "EUR"}
            hint="Empty: the recorded currency."
          />
        )}
        <TextField label="Reason" value={note} onValue={setNote} required placeholder="Invoice 4711" />
        {error && <Failure error={error} />}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {SAYS[charged]}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const SAYS: Readonly<Record<Charged, string>> = {
  yes: "Record as charged",
  no: "Record as not charged",
  unknown: "Record as unknown",
};

function aboutOf({ attempt, call }: Pick<SettleChargeProps, "attempt" | "call">): string {
  return attempt === undefined ? `call ${call.ordinal}` : `request ${attempt.number} of call ${call.ordinal}`;
}
