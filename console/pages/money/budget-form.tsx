import { useState } from "preact/hooks";
import { useWholeList } from "../../api/use-list.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { InputOf } from "../../api/verb-types.ts";
import { useAct } from "../../parts/act.tsx";
import { Amount } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/failure.tsx";
import { CheckField, type Choice, SelectField, TextField } from "../../parts/fields.tsx";
import { Count } from "../../parts/values.tsx";
import { CURRENCIES } from "./currencies.ts";
import { type ListedBudget, Scope } from "./budget-scope.tsx";
import { dayAfter } from "./month.ts";
import { ZoneField } from "./zone-field.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";
import { WorkflowField } from "../../parts/workflow-field.tsx";

interface BudgetFormProps {
  /** The budget to change; `null` for a new one. */
  readonly budget: ListedBudget | null;
  readonly org: string;
  readonly onClose: () => void;
  readonly onSet: () => void;
}

/**
 * Sets a budget, or changes the limit of a budget. The scope of a budget cannot be changed. A sentence describes the
 * effect before it is saved.
 */
export function BudgetForm({ budget, org: shownOrg, onClose, onSet }: BudgetFormProps) {
  const { isBusy, error, run } = useAct("budget set");
  const [draft, setDraft] = useState(() => draftOf(budget, shownOrg));
  const [countsSoFar, setCountsSoFar] = useState(false);
  const field = <Name extends keyof Draft>(name: Name) => ({
    name,
    value: draft[name],
    onValue: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  const isMoney = draft.unit === "money";
  return (
    <Dialog title={budget === null ? "Set a budget" : "Change a budget"} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const soFar = budget === null && countsSoFar ? { count_so_far: true } : {};
          void run({ ...toInput(draft), ...soFar }).then((set) => set !== undefined && onSet());
        }}
      >
        {budget === null ? (
          <ScopeFields draft={draft} change={(changes) => setDraft({ ...draft, ...changes })} />
        ) : (
          <Scope of={budget} />
        )}
        <div class="filter">
          {budget === null && (
            <>
              <SelectField
                label="Applies to"
                choices={[
                  { value: "money", label: "money" },
                  { value: "calls", label: "requests" },
                ]}
                {...field("unit")}
              />
              <SelectField
                label="Per"
                choices={[
                  { value: "month", label: "month" },
                  { value: "day", label: "day" },
                ]}
                {...field("per")}
              />
            </>
          )}
          <TextField
            label={isMoney ? "Amount" : "Requests"}
            inputMode={isMoney ? "decimal" : "numeric"}
            required
            placeholder={isMoney ? "500.00" : "10000"}
            {...field("limit")}
          />
          {isMoney && budget === null && (
            <TextField label="Currency" required placeholder="EUR" list={CURRENCIES} {...field("currency")} />
          )}
          {budget === null && <ZoneField value={draft.zone} onValue={field("zone").onValue} />}
          <TextField label="Warn from percent" inputMode="numeric" placeholder="80" {...field("warn")} />
        </div>
        <p>{sentenceOf(draft)}</p>
        {budget === null && draft.org !== "" && (
          <SpentSoFar draft={draft} countsIt={countsSoFar} onCount={setCountsSoFar} />
        )}
        {error && <Failure error={error} />}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {budget === null ? "Set budget" : "Change budget"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface Draft {
  readonly org: string;
  readonly workflow: string;
  readonly source: string;
  readonly credential: string;
  readonly unit: string;
  readonly per: string;
  readonly zone: string;
  readonly limit: string;
  readonly currency: string;
  readonly warn: string;
}

function draftOf(budget: ListedBudget | null, org: string): Draft {
  const nothing = {
    workflow: "",
    source: "",
    credential: "",
    unit: "money",
    per: "month",
    zone: "UTC",
    limit: "",
    currency: "",
    warn: "",
  };
  if (budget === null) return { ...nothing, org };
  const [limit = "", currency = ""] = budget.limit.split(" ");
  const isMoney = !currency.startsWith("request");
  return {
    org: budget.organization_tuid,
    workflow: budget.workflow ?? "",
    source: budget.source ?? "",
    credential: budget.cred_id ?? "",
    unit: isMoney ? "money" : "calls",
    per: budget.per,
    zone: budget.time_zone,
    limit,
    currency: isMoney ? currency : "",
    warn: String(budget.warn_percent),
  };
}

/** A limit that is not a number is sent unchanged, because the service has the error message. */
function toInput({
  org,
  workflow,
  source,
  credential,
  unit,
  per,
  zone,
  limit,
  currency,
  warn,
}: Draft): InputOf<"budget set"> {
  const number = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text);
  return {
    org,
    per,
    time_zone: zone,
    ...(workflow && { workflow }),
    ...(source && { source }),
    ...(credential && { credential }),
    ...(unit === "money"
      ? { amount: limit.trim(), currency: currency.trim().toUpperCase() }
      : { calls: number(limit) }),
    ...(warn.trim() && { warn: number(warn) }),
  } as InputOf<"budget set">;
}

function sentenceOf({ unit, per, zone, limit, currency, warn }: Draft): string {
  const what =
    unit === "money"
      ? limit && currency
        ? `${limit} ${currency.toUpperCase()}`
        : "this amount"
      : limit
        ? `${limit} ${limit === "1" ? "request" : "requests"}`
        : "this number of requests";
  return `At most ${what} may be charged per ${per} (${zone}). A request that exceeds the limit is not sent, and its source fails. From ${warn || "80"} % on, a warning is logged and shown here. If the budget exists already, its use in this ${per} still counts.`;
}

interface SpentSoFarProps {
  readonly draft: Draft;
  readonly countsIt: boolean;
  readonly onCount: (countsIt: boolean) => void;
}

/** What the current period has cost so far, and whether a new budget counts it. */
function SpentSoFar({ draft, countsIt, onCount }: SpentSoFarProps) {
  const { org, workflow, source, credential, unit, per, zone } = draft;
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date());
  const { result } = useVerb("ledger spend", {
    by: "org",
    from: per === "month" ? `${today.slice(0, 7)}-01` : today,
    to: dayAfter(today),
    time_zone: zone,
    org,
    ...(workflow && { workflow }),
    ...(source && { source }),
    ...(credential && { credential }),
  });
  const requests = result?.spend.reduce((sum, { charged, unknown }) => sum + charged + unknown, 0) ?? 0;
  const amounts = result?.totals.filter(({ currency }) => currency !== null) ?? [];
  return (
    <>
      <p role="status">
        {result && (
          <>
            So far this {per},{" "}
            {unit === "calls" ? (
              <>
                <Count of={requests} /> {requests === 1 ? "request has" : "requests have"}
              </>
            ) : amounts.length === 0 ? (
              "nothing has"
            ) : (
              <>
                {amounts.map(({ currency, amount, amount_at_most: atMost }, at) => (
                  <>
                    {at > 0 && ", "}
                    <Amount key={currency} amount={amount} atMost={atMost} currency={currency} />
                  </>
                ))}{" "}
                {amounts.length === 1 ? "has" : "have"}
              </>
            )}{" "}
            been charged.
          </>
        )}
      </p>
      <CheckField
        label={`Count what this ${per} has cost so far. Otherwise it counts from now on.`}
        checked={countsIt}
        onChecked={onCount}
      />
    </>
  );
}

/** The scope of a budget. Workflows and credentials are those of the organization. */
function ScopeFields({ draft, change }: { readonly draft: Draft; readonly change: (changes: Partial<Draft>) => void }) {
  const { org } = draft;
  const own = org === "" ? null : { org };
  const credentials = useWholeList("credential list", own, "credentials").rows ?? [];
  const sources = useVerb("source list", {}).result?.sources ?? [];
  const all = (choices: readonly Choice[]) => [{ value: "", label: "all" }, ...(org === "" ? [] : choices)];
  return (
    <div class="filter">
      <OrganizationField
        value={org}
        required
        onValue={(value) => change({ org: value, workflow: "", credential: "" })}
      />
      {org !== "" && (
        <WorkflowField org={org} none="all" value={draft.workflow} onValue={(workflow) => change({ workflow })} />
      )}
      <SelectField
        label="Source"
        value={draft.source}
        onValue={(source) => change({ source })}
        choices={all(sources.map(({ source }) => ({ value: source, label: source })))}
      />
      <SelectField
        label="Credential"
        value={draft.credential}
        onValue={(credential) => change({ credential })}
        choices={all(
          credentials.map(({ cred_id: id, source, name }) => ({
            value: id,
            label: `${name === null ? "" : `${name}, `}${source} (…${id.slice(-8)})`,
          })),
        )}
      />
    </div>
  );
}
