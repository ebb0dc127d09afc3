import { CredentialLink } from "../../parts/credential-link.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Id, Time, Took } from "../../parts/values.tsx";
import { VersionLink } from "../../parts/version-link.tsx";
import { SettleCharge } from "./settle-charge.tsx";
import {
  type Attempt,
  type Call,
  contractText,
  outcomeText,
  priceText,
  ruleText,
  type Shown,
  unsentUnknown,
} from "./run-words.ts";

interface CallDetailsProps {
  readonly of: Shown;
  readonly call: Call;
  readonly organization: string;
  readonly reload: () => void;
}

/** The outcome of a call and its reason, its requests, and the settlements of its charges. */
export function CallDetails({ of, call, organization, reload }: CallDetailsProps) {
  const attempts = of.attempts.filter(({ ordinal }) => ordinal === call.ordinal);
  const settlements = of.reconciliations.filter(({ ordinal }) => ordinal === call.ordinal);
  const settle = { call, organization, transaction: of.run!.transaction_id, onDone: reload };
  const isUnrecorded = unsentUnknown([call], attempts).length > 0;
  return (
    <div class="call-details">
      <p>
        <ObjectLink id={call.source} /> {outcomeText(call)}.
        {call.fault_code !== null && (
          <>
            {" "}
            <Id>{call.fault_code}</Id>
          </>
        )}
      </p>
      <p>
        Called with{" "}
        {call.credential_id === null ? (
          `${contractText(call.credential_rule)}: ${ruleText(call.credential_rule)}.`
        ) : (
          <>
            <CredentialLink id={call.credential_id} org={of.run!.organization_id} name={call.credential_name} /> (
            {ruleText(call.credential_rule)}).
          </>
        )}
      </p>
      <p>
        Version of the source:{" "}
        <VersionLink kind="source" id={call.source} number={call.source_version_number} digest={call.source_version} />
      </p>
      {call.budget_id !== null && (
        <p>
          The budget that rejected it: <ObjectLink id={call.budget_id} org={of.run!.organization_id} />
        </p>
      )}
      {call.order_id !== null && (
        <p>
          The vendor's order: <Id>{call.order_id}</Id>
        </p>
      )}
      {attempts.length === 0 && !isUnrecorded && <p class="dim">No request was sent, so nothing was charged.</p>}
      {isUnrecorded && (
        <p class="beside">
          <Outcome kind="unknown" /> No request of this call is recorded. <SettleCharge {...settle} />
        </p>
      )}
      {attempts.length > 0 && (
        <Table
          caption={`Requests of ${call.source}`}
          columns={columnsOf(of, (attempt) => (
            <SettleCharge {...settle} attempt={attempt} />
          ))}
          rows={attempts}
          keyOf={({ number }) => String(number)}
        />
      )}
      {settlements.length > 0 && <Settlements of={settlements} />}
    </div>
  );
}

function columnsOf({ run }: Shown, settle: (attempt: Attempt) => preact.ComponentChildren): readonly Column<Attempt>[] {
  const startedAt = Date.parse(run!.started_at);
  return [
    {
      title: "Request",
      show: ({ number, method, origin }) => (
        <span>
          {number}. {method} {origin}
        </span>
      ),
    },
    {
      title: "Sent after",
      show: ({ sent_at: at }) => <Took ms={Math.max(0, Date.parse(at) - startedAt)} />,
      isNumber: true,
    },
    { title: "Reply", show: ({ status }) => (status === null ? "none" : `status ${status}`) },
    { title: "Duration", show: ({ took_ms: ms }) => <Took ms={ms} />, isNumber: true },
    { title: "Charge", show: ({ charged }) => <Charged charged={charged} /> },
    { title: "Cost", show: priceText, isNumber: true },
    { title: "Decision", show: settle },
  ];
}

function Charged({ charged }: { readonly charged: string }) {
  if (charged === "unknown") return <Outcome kind="unknown" />;
  return charged === "yes" ? <Outcome kind="found" says="charged" /> : <Outcome kind="off" says="not charged" />;
}

/** The name of the original record of the service, before a person settled the charge. */
const RECORDED_BY = "datarun";

function Settlements({ of }: { readonly of: Shown["reconciliations"] }) {
  return (
    <ul class="call-settlements">
      {of.map(({ revision, attempt, charged, decided_by: who, decided_at: at, note }) => (
        <li key={revision}>
          {attempt === 0 ? "" : `Request ${attempt}: `}
          {who === RECORDED_BY ? (
            <>first recorded as {WORDS[charged] ?? charged}</>
          ) : (
            <>
              settled as {WORDS[charged] ?? charged} by <bdi>{who}</bdi>, <Time at={at} />: <bdi>{note}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

const WORDS: Readonly<Record<string, string>> = { yes: "charged", no: "not charged", unknown: "unknown" };
