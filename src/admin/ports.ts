/** The parts of the service that verbs use. `needs.ts` names them; `composition/verb-needs/needs-of.ts` provides them. */
import type { ReplyShapeStore } from "../health/ports.ts";
import type { AuditTrail } from "./ports/acts.ts";
import type { CredentialAdmin, KeyAdmin } from "./ports/credentials.ts";
import type { BudgetAdmin, PriceAdmin } from "./ports/prices-and-budgets.ts";
import type { ObjectFinder } from "./ports/objects.ts";
import type { OperatorAdmin } from "./ports/operators.ts";
import type { OrganizationAdmin, TokenAdmin, WorkflowAdmin } from "./ports/organizations.ts";
import type { ShadowStore } from "./ports/shadows.ts";
import type { StateKeyAdmin } from "./ports/state-keys.ts";
import type { VersionStore } from "./ports/versions.ts";

export type * from "./ports/acts.ts";
export type * from "./ports/backups.ts";
export type * from "./ports/catalogs.ts";
export type * from "./ports/credentials.ts";
export type * from "./ports/prices-and-budgets.ts";
export type * from "./ports/objects.ts";
export type * from "./ports/operators.ts";
export type * from "./ports/organizations.ts";
export type * from "./ports/running-service.ts";
export type * from "./ports/shadows.ts";
export type * from "./ports/state-keys.ts";
export type * from "./ports/versions.ts";

export interface CopiedStore {
  /** The number of copied rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly ledgerRuns: number;
}

/** Changes return `null` if their object does not exist; then nothing is changed or recorded. */
export interface AdminStore
  extends
    OrganizationAdmin,
    TokenAdmin,
    WorkflowAdmin,
    CredentialAdmin,
    PriceAdmin,
    BudgetAdmin,
    KeyAdmin,
    OperatorAdmin,
    ObjectFinder,
    AuditTrail,
    VersionStore,
    ShadowStore,
    ReplyShapeStore,
    StateKeyAdmin {}
