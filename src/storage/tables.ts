import type { Insertable, Selectable } from "kysely";
import type { BudgetPeriod } from "../terms/money/budget.ts";
import type { Role, StateKind, VersionKind } from "../admin/ports.ts";
import type { ChargeModel } from "../terms/money/charge.ts";
import type { StoredShape } from "../health/ports.ts";
import type { AttemptRow, CallRow, ReconciliationRow, RunRow } from "../ledger/ports.ts";

/**
 * The tables after the last migration. Column types are portable: text, bigint milliseconds since 1970 (a number on
 * both engines), flags as 0 or 1, JSON as text. Tables with totals and history of the ledger are not among them: only the
 * ledger's own statements use those.
 */
export interface Tables {
  readonly organizations: OrganizationTable;
  readonly tokens: TokenTable;
  readonly workflows: WorkflowTable;
  readonly credentials: CredentialTable;
  readonly credential_calls: CredentialCallsTable;
  readonly credential_prices: CredentialPriceTable;
  readonly data_keys: DataKeyTable;
  readonly operators: OperatorTable;
  readonly operator_sessions: OperatorSessionTable;
  readonly login_codes: LoginCodeTable;
  readonly audit: AuditTable;
  readonly ledger_runs: RunRow;
  readonly ledger_calls: CallRow;
  readonly ledger_attempts: AttemptRow;
  readonly ledger_reconciliations: ReconciliationRow;
  readonly ledger_outboxes: OutboxTable;
  readonly ledger_run_counts: RunCountTable;
  readonly leases: LeaseTable;
  readonly budgets: BudgetTable;
  readonly budget_leases: BudgetLeaseTable;
  readonly versions: VersionTable;
  readonly shadow_results: ShadowResultTable;
  readonly reply_shapes: ReplyShapeTable;
  readonly state_keys: StateKeyTable;
  readonly datarun_changes: ChangesTable;
  readonly datarun_migrations: MigrationsTable;
}

export type Flag = 0 | 1;

interface OrganizationTable {
  readonly id: string;
  readonly name: string;
  /** The search key of the name: see `name-key.ts`. Likewise in tokens, workflows and operators. */
  readonly name_key: string;
  readonly created_wall_at: number;
  readonly disabled: Flag;
}

interface TokenTable {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly name_key: string;
  readonly digest: string;
  readonly created_wall_at: number;
  readonly expires_wall_at: number | null;
  readonly revoked_wall_at: number | null;
  readonly last_used_wall_at: number | null;
}

interface WorkflowTable {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly name_key: string;
  readonly disabled: Flag;
  readonly auto_credentials: Flag;
  readonly failure_details: Flag;
  readonly mask_credentials: Flag;
  readonly simulated: Flag;
  /** JSON: `WorkflowVersions`. */
  readonly versions: string | null;
  readonly created_wall_at: number;
}

interface CredentialTable {
  readonly id: string;
  readonly organization_id: string;
  readonly source: string;
  readonly version: number;
  /** JSON list of contexts; empty means all. */
  readonly contexts: string;
  /** JSON list of regions; null means all. */
  readonly regions: string | null;
  readonly is_default: Flag;
  readonly disabled: Flag;
  readonly created_wall_at: number;
  /** The row of a deleted credential stays, because the ledger refers to it; its sealed bytes are removed. */
  readonly deleted_wall_at: number | null;
  readonly key_id: string;
  readonly sealed: string;
  /** Null for a credential without a name. */
  readonly name: string | null;
  readonly name_key: string | null;
}

/** Billed calls in a calendar month, of credentials whose price has steps. */
interface CredentialCallsTable {
  /** Composed of credential and month. */
  readonly id: string;
  readonly credential_id: string;
  readonly month_from: number;
  readonly calls: number;
}

interface CredentialPriceTable {
  /** Composed of the three columns that identify a price: credential, start, and number of calls. */
  readonly id: string;
  readonly credential_id: string;
  readonly organization_id: string;
  readonly source: string;
  readonly from_wall_at: number;
  readonly above: number;
  /** In millionths of the currency's unit. */
  readonly amount: number;
  readonly currency: string;
  readonly per: ChargeModel | null;
  readonly time_zone: string;
}

interface DataKeyTable {
  readonly id: string;
  readonly organization_id: string;
  readonly root_key_id: string;
  readonly wrapped: string;
  readonly created_wall_at: number;
}

interface OperatorTable {
  readonly id: string;
  readonly name: string;
  readonly name_key: string;
  readonly role: Role;
  /** Digest of the token or, for an operator from the identity provider, of issuer and subject. */
  readonly digest: string;
  /** Null for a token. */
  readonly login: "identity_provider" | null;
  readonly created_wall_at: number;
  readonly expires_wall_at: number | null;
  readonly revoked_wall_at: number | null;
  readonly last_used_wall_at: number | null;
}

interface OperatorSessionTable {
  readonly digest: string;
  readonly operator_id: string;
  readonly created_wall_at: number;
  readonly seen_wall_at: number;
  readonly ends_wall_at: number;
}

interface LoginCodeTable {
  readonly digest: string;
  readonly operator_id: string;
  readonly ends_wall_at: number;
}

interface AuditTable {
  readonly id: string;
  readonly wall_at: number;
  readonly who: string;
  readonly via: string;
  readonly what: string;
  readonly organization_id: string | null;
  readonly subject_id: string;
  readonly detail: string;
}

/** The position up to which a journal has been drained to this database. */
interface OutboxTable {
  readonly journal: string;
  readonly run: number;
}

/**
 * The number of runs in a group of ids that a journal has added. The row without a journal has the number of deleted
 * ones.
 */
interface RunCountTable {
  readonly span: string;
  readonly journal: string;
  readonly runs: number;
  /** In the row without a journal: the latest start of a deleted run. */
  readonly deleted_up_to: number | null;
}

/** Units of one lease of a limit in one window. A limit on units in use at once has the window -1. */
interface LeaseTable {
  readonly name: string;
  readonly window_start: number;
  readonly lease: string;
  readonly process: string;
  readonly amount: number;
  readonly wants: number;
  readonly grew_at: number;
  readonly turn: number;
  readonly ends_at: number;
  readonly forget_at: number;
}

interface BudgetTable {
  readonly id: string;
  readonly organization_id: string;
  readonly workflow_id: string | null;
  readonly source: string | null;
  readonly credential_id: string | null;
  readonly per: BudgetPeriod;
  /** Null for a budget from before this column: UTC. */
  readonly time_zone: string | null;
  /** Null for a budget that counts requests. */
  readonly currency: string | null;
  /** Requests, or millionths of the currency's unit. */
  readonly amount: number;
  readonly warn_percent: number;
  readonly set_wall_at: number;
  /** Null: it counts from when it was set. */
  readonly counts_from: number | null;
  /** Null if the limit was never changed. */
  readonly changed_wall_at: number | null;
  /** Start of the latest period with a lease; null if there was none. */
  readonly begun_from: number | null;
}

/**
 * Units of one lease of a budget in one period. A separate row has the units that no process holds any more, and the
 * sum of charges settled by hand.
 */
interface BudgetLeaseTable {
  /** Composed of budget, period and lease. */
  readonly id: string;
  readonly budget_id: string;
  readonly period_from: number;
  readonly period_to: number;
  readonly lease: string;
  readonly process: string;
  readonly amount: number;
  readonly used: number;
  readonly turn: number;
  readonly heard_at: number | null;
}

/** A version of a function or source that a service has loaded. Never changed and never deleted. */
interface VersionTable {
  /** Composed of kind, subject and digest. */
  readonly id: string;
  readonly kind: VersionKind;
  /** The id of the function or source. */
  readonly subject_id: string;
  /** Counts up from 1 for each subject. */
  readonly number: number;
  readonly digest: string;
  readonly origin: "catalog" | "package" | "project";
  /** The first time that a service loaded it. */
  readonly first_wall_at: number;
  readonly build: string | null;
  readonly deployed_by: string | null;
  /** The text of the digest, as base64 of gzip. The same for `source`, which is JSON: the text of each file. */
  readonly content: string;
  readonly source: string;
}

/** The comparison of a top-level field of the output of shadow runs; the field "" stands for whole runs. */
interface ShadowResultTable {
  /** Composed of workflow, function, version and field. */
  readonly id: string;
  readonly workflow_id: string;
  readonly function_id: string;
  readonly version: string;
  readonly field: string;
  readonly same: number;
  readonly different: number;
  readonly missing: number;
  readonly added: number;
  readonly failed: number;
  readonly unrecorded: number;
  /** JSON list of differing runs, up to a limit. */
  readonly transaction_ids: string;
  readonly changed_wall_at: number;
}

interface ReplyShapeTable extends StoredShape {
  /** Composed of source, version, span, time and writer. */
  readonly id: string;
}

/** An object that a state file describes. */
interface StateKeyTable {
  /** Composed of kind, parent and key. */
  readonly id: string;
  readonly kind: StateKind;
  /** The id of the organization; null for an organization and an operator. */
  readonly parent_id: string | null;
  readonly state_key: string;
  readonly object_id: string;
  /** JSON: how the file last described it. */
  readonly applied: string;
}

/** The number of changes to this store that can affect cached data, and since the first one of operators, theirs. */
interface ChangesTable {
  readonly id: number;
  readonly changes: number;
}

interface MigrationsTable {
  readonly version: number;
  readonly name: string;
  readonly applied_wall_at: number;
  readonly readable_from: number;
}

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;
export type NewRow<Table extends keyof Tables> = Insertable<Tables[Table]>;

export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}
