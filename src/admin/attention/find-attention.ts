import type { ActivityLine } from "../../ledger/read/sum-activity.ts";
import { failureLabelOf } from "../../terms/counted-end.ts";
import type { FaultCode } from "../../terms/fault.ts";
import type { BudgetRejections } from "../../ledger/read/budget-rejections.ts";
import type { UnknownCount } from "../../ledger/read/unknown-charges.ts";
import type { SlowSource } from "../../health/ports.ts";
import { pathText } from "../../health/shape-path.ts";
import { type Budget, budgetText, isNearlyUsed, scopeText } from "../../terms/money/budget.ts";
import { percentUsed } from "../../terms/money/money.ts";
import type { BudgetUse, LedgerHealth, BreakerHealth, DriftedSource, ServiceState } from "../ports.ts";
import {
  LOGINS_MS,
  type DeploymentObservation,
  type LedgerObservation,
  type StoreObservation,
} from "./observe-deployment.ts";
import { Type } from "../../terms/schema/type.ts";
import { oneOf, orNull, rowsOf, text } from "../result-schemas.ts";

/**
 * The kinds of attention. A kind that a metric shows too has an alert in deploy/prometheus/rules.yaml with the same
 * threshold.
 */
export const ATTENTION = {
  not_ready: "DatarunNotReady",
  unreadable: null,
  budget_rejects: "DatarunBudgetRejects",
  keys_unreadable: "DatarunDataKeysUnreadable",
  journal_damaged: "DatarunJournalDamaged",
  refused_runs: "DatarunOverloaded DatarunUnavailable DatarunInternalError",
  budget_nearly_used: "DatarunBudgetNearlyUsed",
  budget_silent: null,
  source_failing: "DatarunSourceFailing",
  credential_refused: null,
  credential_missing: "DatarunCredentialMissing",
  charges_unknown: "DatarunChargesUnknown",
  breaker_open: "DatarunBreakerOpen",
  source_slow: "DatarunSourceSlow",
  source_drift: "DatarunSourceDrift",
  ledger_lag: "DatarunLedgerLag",
  ledger_undrained: "DatarunLedgerUndrained",
  journal_fills_up: "DatarunJournalFillsUp",
  failed_logins: "DatarunFailedLogins",
} as const;

export type AttentionKind = keyof typeof ATTENTION;

/** The pages of the console that an item links to. */
export const ATTENTION_PAGES = ["overview", "runs", "sources", "credentials", "money", "audit"] as const;

/** An item that needs a person's attention. */
export interface Attention {
  readonly what: AttentionKind;
  /** `critical`: runs are refused, a budget rejects calls, records are in danger, or credentials fail. */
  readonly severity: "critical" | "warning";
  /** A sentence. */
  readonly says: string;
  /** Where to look at the item: a page of the console with its selection, and a command. */
  readonly page: (typeof ATTENTION_PAGES)[number];
  readonly filter: Readonly<Record<string, string>>;
  readonly command: string | null;
}

export const THRESHOLDS = {
  breakerOpenMs: 60_000,
  lagMs: 1_000,
  journalDaysLeft: 30,
  failingCalls: 10,
  failingShare: 0.5,
} as const;

const REFUSED: Readonly<Record<string, string>> = {
  overloaded: "because too many runs are in progress",
  unavailable: "because no run could be recorded, or the store failed",
  internal: "by a fault of the service",
};

/** The items that need attention, the most urgent first; empty if there are none. */
export function findAttention({ service, ofStore, ofLedger, problems }: DeploymentObservation): readonly Attention[] {
  const found = [
    ...problems.map((says) => critical("unreadable", says)),
    ...(service === null ? [] : ofService(service)),
    ...(ofLedger === null ? [] : inLedger(ofLedger)),
    ...(ofStore === null ? [] : inStore(ofStore, ofLedger?.rejections ?? [])),
  ];
  const order = Object.keys(ATTENTION);
  const rank = ({ severity, what }: Attention) => (severity === "critical" ? 0 : order.length) + order.indexOf(what);
  return found.toSorted((one, other) => rank(one) - rank(other));
}

type AttentionTarget = Partial<Pick<Attention, "page" | "filter" | "command">>;

function critical(what: AttentionKind, says: string, place: AttentionTarget = {}): Attention {
  return { what, severity: "critical", says, page: "overview", filter: {}, command: null, ...place };
}

function warning(what: AttentionKind, says: string, place: AttentionTarget = {}): Attention {
  return { ...critical(what, says, place), severity: "warning" };
}

function ofService(service: ServiceState): Attention[] {
  const { notReady, openBreakers, refusedLately, unreadableDataKeys, sourceDrift, ledger } = service;
  const lasting = openBreakers.filter(({ openForMs }) => openForMs >= THRESHOLDS.breakerOpenMs);
  const found = notReady.map((reason) => critical("not_ready", `No run is accepted: ${reason}.`));
  if (unreadableDataKeys > 0)
    found.push(
      critical(
        "keys_unreadable",
        `${counted(unreadableDataKeys, "data key")} cannot be opened, and credentials that are sealed with ${unreadableDataKeys === 1 ? "it" : "them"} fail.`,
        { page: "credentials", command: "datarun keys verify" },
      ),
    );
  for (const [kind, count] of Object.entries(refusedLately)) {
    if (count === 0) continue;
    const refused = `${counted(count, "request was", "requests were")} refused in the last five minutes`;
    const item = kind === "unavailable" ? critical : warning;
    found.push(item("refused_runs", `${refused} ${REFUSED[kind] ?? `(${kind})`}.`));
  }
  for (const [source, open] of Map.groupBy(lasting, ({ source }) => source)) found.push(breakerOpen(source, open));
  return [...found, ...sourceDrift.flatMap((drift) => drifted(drift) ?? []), ...ofLedgerHealth(ledger)];
}

/** Failures and latency have items of their own. */
function drifted({ source, kinds, paths }: DriftedSource): Attention | null {
  const changed = PATH_KINDS.reduce((sum, kind) => sum + (kinds[kind] ?? 0), 0);
  const parts = [
    ...(changed === 0 ? [] : [`${counted(changed, "path")} of its replies (${pathList(paths, changed)})`]),
    ...(kinds["match_rate"] === undefined ? [] : ["its match rate"]),
  ];
  if (parts.length === 0) return null;
  return warning("source_drift", `${source} has changed against the 28 days before: ${parts.join(", and ")}.`, {
    page: "sources",
    filter: { source },
    command: `datarun source health ${source}`,
  });
}

const PATH_KINDS = ["missing", "new", "changed", "shifted"] as const;

function pathList(paths: readonly string[], changed: number): string {
  const named = paths.map(pathText).join(", ");
  return changed > paths.length ? `${named} and others` : named;
}

function breakerOpen(source: string, open: readonly BreakerHealth[]): Attention {
  const organizations = [...new Set(open.map(({ organizationId }) => organizationId))];
  const whose =
    organizations.length === 1 ? `organization ${organizations[0]}` : `${organizations.length} organizations`;
  return warning(
    "breaker_open",
    `Calls to ${source} are refused for ${whose} for now: most of the recent ones failed.`,
    { page: "sources", filter: { source }, command: `datarun ledger activity --source ${source}` },
  );
}

function ofLedgerHealth(ledger: LedgerHealth): Attention[] {
  const { lagMs, journalDaysLeft, damageMet, undrainedRuns, drainFailures } = ledger;
  const found: Attention[] = [];
  if (damageMet > 0)
    found.push(
      critical("journal_damaged", "Damage was found in the journal.", {
        page: "runs",
        command: "datarun ledger verify",
      }),
    );
  if (lagMs > THRESHOLDS.lagMs)
    found.push(warning("ledger_lag", `The ledger lags: the journal is ${Math.round(lagMs / 1_000)} s behind its log.`));
  if (drainFailures > 0 && undrainedRuns > 0)
    found.push(
      warning("ledger_undrained", `${counted(undrainedRuns, "run has", "runs have")} not reached the shared database.`),
    );
  if (journalDaysLeft !== null && journalDaysLeft < THRESHOLDS.journalDaysLeft)
    found.push(
      warning(
        "journal_fills_up",
        `The journal will be full in ${counted(Math.floor(journalDaysLeft), "day")} at the rate of the last day.`,
      ),
    );
  return found;
}

const REFUSED_CREDENTIAL = "source.credential_rejected";

const MISSING_CREDENTIAL = "source.credential_missing";
/** Failures that other items name, or that a caller's inputs cause. */
const NOT_FAILING: ReadonlySet<string> = new Set<FaultCode>([REFUSED_CREDENTIAL, "source.vendor_input"]);

/** Sources of whose calls of the last hour, at least ten, half or more failed at the vendor or in the source. */
function failingSource(source: string, lines: readonly ActivityLine[]): Attention[] {
  const failed = callsThatEnded(lines, isFailing);
  const calls = failed + lines.reduce((sum, { outcomes }) => sum + outcomes.match + outcomes.no_match, 0);
  if (calls < THRESHOLDS.failingCalls || failed / calls < THRESHOLDS.failingShare) return [];
  const says = `${failed} of the last ${counted(calls, "call")} of ${source} failed, within an hour.`;
  const command = `datarun ledger history --by all --source ${source}`;
  return [warning("source_failing", says, { page: "sources", filter: { source }, command })];
}

function isFailing(code: string): boolean {
  return failureLabelOf(code) === "failed" && !NOT_FAILING.has(code);
}

function missingCredential(source: string, lines: readonly ActivityLine[]): Attention[] {
  const calls = callsThatEnded(lines, (code) => code === MISSING_CREDENTIAL);
  if (calls === 0) return [];
  const says = `${counted(calls, "call")} of ${source} had no credential in the last hour.`;
  const command = `datarun ledger history --by workflow --source ${source}`;
  return [warning("credential_missing", says, { page: "credentials", filter: { source }, command })];
}

function callsThatEnded(lines: readonly ActivityLine[], isCounted: (fault: string) => boolean): number {
  const faults = lines.flatMap((line) => line.faults.filter(({ code }) => isCounted(code)));
  return faults.reduce((sum, { calls }) => sum + calls, 0);
}

function refusedCredential({ source, credentialId, faults, last }: ActivityLine): Attention[] {
  // A credential that was accepted again since then needs no attention.
  if (credentialId === null || last !== REFUSED_CREDENTIAL) return [];
  const count = faults.find(({ code }) => code === REFUSED_CREDENTIAL)?.calls ?? 0;
  const often = count === 1 ? "once" : `${count} times`;
  return [
    warning(
      "credential_refused",
      `The credential ${credentialId} of ${source} was refused by the vendor ${often} in the last hour.`,
      {
        page: "credentials",
        filter: { cred_id: credentialId },
        command: `datarun credential verify ${credentialId}`,
      },
    ),
  ];
}

function slowSource({ source, p95Ms, usualP95Ms }: SlowSource): Attention {
  return warning(
    "source_slow",
    `${source} has become slow: 95 in 100 calls of the last hours took at most ${p95Ms} ms, and ${usualP95Ms} ms in the four weeks before.`,
    { page: "sources", filter: { source }, command: `datarun ledger history --by all --source ${source}` },
  );
}

function unknownCharges({ charges, isMore, sinceWallAt }: UnknownCount): Attention[] {
  if (charges === 0) return [];
  const number = `${isMore ? "More than " : ""}${counted(charges, "charge is", "charges are")}`;
  return [
    warning("charges_unknown", `${number} unknown since ${dayAndTime(sinceWallAt!)}.`, {
      page: "runs",
      filter: { charged: "unknown" },
      command: "datarun ledger unknown",
    }),
  ];
}

function inLedger({ unknown, activity, slow }: LedgerObservation): Attention[] {
  const bySource = [...Map.groupBy(activity, ({ source }) => source)];
  return [
    ...bySource.flatMap(([source, lines]) => failingSource(source, lines)),
    ...bySource.flatMap(([source, lines]) => missingCredential(source, lines)),
    ...slow.sources.map(slowSource),
    ...activity.flatMap(refusedCredential),
    ...unknownCharges(unknown),
  ];
}

function inStore({ budgets, failedLogins }: StoreObservation, rejections: readonly BudgetRejections[]): Attention[] {
  const rejectedBy = new Map(rejections.map((each) => [each.budgetId, each]));
  const found: Attention[] = [];
  for (const use of budgets) {
    const { id } = use.budget;
    const place: AttentionTarget = { page: "money", filter: { budget: id }, command: `datarun budget show ${id}` };
    const rejected = rejectedBy.get(id);
    if (rejected !== undefined) found.push(critical("budget_rejects", rejectedSays(use, rejected), place));
    else if (isNearlyUsed(use.budget, use.used)) found.push(warning("budget_nearly_used", usedSays(use), place));
    if (use.silent !== 0n) found.push(warning("budget_silent", silentSays(use), place));
  }
  if (failedLogins > 0)
    found.push(
      warning(
        "failed_logins",
        `${counted(failedLogins, "login")} to the admin API failed in the last ${LOGINS_MS / 60_000} minutes.`,
        { page: "audit", filter: { what: "login failed" }, command: 'datarun audit list --what "login failed"' },
      ),
    );
  return found;
}

function usedSays({ budget, used }: BudgetUse): string {
  return `${percentUsed(used, budget.limit)} % of the budget of ${scopeText(budget)} is used ${whenOf(budget)}: ${budgetText(budget, used)} of ${budgetText(budget, budget.limit)}.`;
}

function rejectedSays({ budget, used }: BudgetUse, { calls, isMore, sinceWallAt }: BudgetRejections): string {
  return `The budget of ${scopeText(budget)} has rejected ${isMore ? "more than " : ""}${counted(calls, "call")} since ${dayAndTime(sinceWallAt)}. Used ${whenOf(budget)}: ${budgetText(budget, used)} of ${budgetText(budget, budget.limit)}.`;
}

function silentSays({ budget, silent }: BudgetUse): string {
  return `${budgetText(budget, silent)} of the budget of ${scopeText(budget)} are leased by processes that have not reported for a minute.`;
}

function whenOf({ per, timeZone }: Budget): string {
  const when = per === "day" ? "today" : "this month";
  return timeZone === "UTC" ? when : `${when} (${timeZone})`;
}

/** `1 charge is`, `3 charges are`. The default plural adds an s. */
function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

function dayAndTime(wallAt: number): string {
  return `${new Date(wallAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export const wireAttention = rowsOf({
  what: oneOf(...Object.keys(ATTENTION)),
  severity: oneOf("critical", "warning"),
  says: { ...text, description: "A sentence for people, which may change" },
  page: { ...oneOf(...ATTENTION_PAGES), description: "The page of the console that shows it" },
  filter: Type.Record(Type.String(), text, { description: "What selects it on that page" }),
  command: { ...orNull(text), description: "A command that shows it" },
});

export function toWireAttention(found: readonly Attention[]) {
  return found.map(({ filter, ...one }) => ({ ...one, filter: { ...filter } }));
}
