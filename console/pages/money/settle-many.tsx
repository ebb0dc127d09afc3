import { useEffect, useState } from "preact/hooks";
import { callVerb } from "../../api/call-verb.ts";
import type { CallError } from "../../api/send-request.ts";
import { toCallError } from "../../api/use-verb.ts";
import type { InputOf, ResultOf } from "../../api/verb-types.ts";
import { Amount } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Count } from "../../parts/values.tsx";

type Charged = "yes" | "no";
type Totals = ResultOf<"ledger settle">["totals"];

/** What would be settled. */
interface SettlePlan {
  readonly count: number;
  readonly totals: Totals;
  /** Charges that the invoice does not answer. */
  readonly open?: number;
}

interface SettleManyProps {
  readonly title: string;
  /** Whether the person chooses what all charges are; otherwise an invoice says it of each. */
  readonly isChosen: boolean;
  readonly plan: () => Promise<SettlePlan>;
  /** Settles the next few charges, and returns how many it has settled and how many are left. */
  readonly settle: (charged: Charged, note: string, done: number) => Promise<{ settled: number; left: number }>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Settles many charges in steps, with their progress. Each is recorded by itself, so it can be stopped and continued. */
export function SettleMany({ title, isChosen, plan, settle, onClose, onDone }: SettleManyProps) {
  const [planned, setPlanned] = useState<SettlePlan>();
  const [charged, setCharged] = useState<Charged>("no");
  const [note, setNote] = useState("");
  const [done, setDone] = useState<number>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  useEffect(() => {
    plan().then(setPlanned, (thrown: unknown) => setError(toCallError(thrown)));
  }, []);

  async function settleAll(): Promise<void> {
    setBusy(true);
    setError(undefined);
    let sum = done ?? 0;
    try {
      for (let left = 1; left > 0;) {
        const step = await settle(charged, note.trim(), sum);
        sum += step.settled;
        left = step.left;
        setDone(sum);
      }
      setPlanned({ count: 0, totals: [] });
    } catch (thrown) {
      setError(toCallError(thrown));
    } finally {
      setBusy(false);
    }
  }

  const close = () => (done === undefined ? onClose() : onDone());
  const isFinished = done !== undefined && planned?.count === 0 && !isBusy;
  return (
    <Dialog title={title} onClose={close} isKept={isBusy}>
      {planned === undefined ? (
        !error && <p class="dim">Loading…</p>
      ) : isFinished ? (
        <p role="status">
          {done === 1 ? "One charge is settled." : `${done} charges are settled.`} Sums and budgets are updated.
        </p>
      ) : (
        <Planned plan={planned} charged={isChosen ? charged : null} />
      )}
      {planned !== undefined && planned.count > 0 && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void settleAll();
          }}
        >
          {isChosen && (
            <SelectField
              label="Were they charged?"
              choices={[
                { value: "no", label: "No, the vendor charged none of them" },
                { value: "yes", label: "Yes, the vendor charged all of them" },
              ]}
              value={charged}
              onValue={(value) => setCharged(value as Charged)}
              disabled={isBusy}
            />
          )}
          <TextField
            label="Reason"
            value={note}
            onValue={setNote}
            required
            placeholder="Invoice 4711"
            disabled={isBusy}
          />
          {isBusy && (
            <p role="status">
              <progress max={planned.count} value={done ?? 0} aria-label="Charges that are settled" />{" "}
              <Count of={done ?? 0} /> of <Count of={planned.count} />
            </p>
          )}
          {error && <Failure error={error} />}
          <div class="dialog-actions">
            <Button onClick={close} disabled={isBusy}>
              {done === undefined ? "Cancel" : "Close"}
            </Button>
            <Button type="submit" kind="primary" isBusy={isBusy}>
              {doesText(planned.count, isChosen ? charged : null)}
            </Button>
          </div>
        </form>
      )}
      {(planned === undefined || planned.count === 0) && (
        <>
          {error && <Failure error={error} />}
          <div class="dialog-actions">
            <Button onClick={close}>Close</Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function doesText(count: number, charged: Charged | null): string {
  const what = count === 1 ? "one charge" : `${count.toLocaleString("en-GB")} charges`;
  if (charged === null) return `Settle ${what} as the invoice says`;
  return `Settle ${what} as ${charged === "yes" ? "charged" : "not charged"}`;
}

function Planned({ plan, charged }: { readonly plan: SettlePlan; readonly charged: Charged | null }) {
  const { count, totals, open = 0 } = plan;
  if (count === 0)
    return <p>{charged === null ? "The invoice answers no unknown charge." : "None of these charges is unknown."}</p>;
  return (
    <div class="dialog-says">
      <p>
        {count === 1 ? "One unknown charge" : `${count.toLocaleString("en-GB")} unknown charges`}
        {totals.map(({ currency, charged: yes, not_charged: no }) => (
          <span key={currency}>
            ,{" "}
            {charged === null ? (
              <>
                of which the invoice bills <Amount amount={yes} currency={currency} />, and{" "}
                <Amount amount={no} currency={currency} /> are not on it
              </>
            ) : (
              <Amount amount={yes} currency={currency} />
            )}
          </span>
        ))}
        . Each keeps its recorded price.
      </p>
      {open > 0 && (
        <p>
          {open === 1 ? "One more unknown charge" : `${open} more unknown charges`} of the same time stay open, because
          the invoice does not answer them.
        </p>
      )}
      <p class="dim">
        Sums and budgets are updated. The earlier records are kept, with your name, the time and the reason, and each
        charge can be settled again.
      </p>
    </div>
  );
}

/** A few at once, so that the progress is seen and a lost connection loses little. */
const AT_ONCE = 100;
/** The most that one command takes by name. */
const NAMED_MAX = 1_000;

type Filter = Pick<InputOf<"ledger settle-unknown">, "source" | "from" | "to" | "time_zone" | "org" | "credential">;

/** The most charges that a plan adds up. */
const SHOWN_MAX = 10_000;
const SHOW_ONLY = { charged: "yes", note: "not applied" } as const;

/** Settles all unknown charges that a filter selects: a source and a time are required. */
export function ofFilter(filter: Filter): Pick<SettleManyProps, "plan" | "settle"> {
  return {
    plan: async () => {
      const { to_settle: count, totals } = await callVerb("ledger settle-unknown", {
        ...filter,
        ...SHOW_ONLY,
        limit: SHOWN_MAX,
      });
      return { count, totals };
    },
    settle: async (charged, note) => {
      const input = { ...filter, charged, note, limit: AT_ONCE, apply: true };
      const { settled, to_settle: left } = await callVerb("ledger settle-unknown", input);
      return { settled, left };
    },
  };
}

/** Settles the charges with these names. */
export function ofCharges(names: readonly string[]): Pick<SettleManyProps, "plan" | "settle"> {
  const left = [...names];
  return {
    plan: async () => {
      const plans: SettlePlan[] = [];
      for (let at = 0; at < names.length; at += NAMED_MAX) {
        const input = { charge: names.slice(at, at + NAMED_MAX), ...SHOW_ONLY };
        const { to_settle: count, totals } = await callVerb("ledger settle-unknown", input);
        plans.push({ count, totals });
      }
      return { count: plans.reduce((sum, { count }) => sum + count, 0), totals: plans.flatMap(({ totals }) => totals) };
    },
    settle: async (charged, note) => {
      const input = { charge: left.slice(0, AT_ONCE), charged, note, apply: true };
      const { settled } = await callVerb("ledger settle-unknown", input);
      left.splice(0, AT_ONCE);
      return { settled, left: left.length };
    },
  };
}

/** Settles what an invoice answers. */
export function ofInvoice(input: InputOf<"ledger compare">): Pick<SettleManyProps, "plan" | "settle"> {
  return {
    plan: async () => {
      const {
        to_settle: count,
        totals,
        open,
      } = await callVerb("ledger settle", {
        ...input,
        note: SHOW_ONLY.note,
        limit: SHOWN_MAX,
      });
      return { count, totals, open };
    },
    settle: async (_, note) => {
      const step = await callVerb("ledger settle", { ...input, note, limit: AT_ONCE, apply: true });
      return { settled: step.settled, left: step.to_settle };
    },
  };
}
