import type { AdminStore } from "../admin/ports.ts";
import { createAuditTrail } from "./audit-trail.ts";
import { createBudgetAdmin } from "./budget-admin.ts";
import { createCredentialAdmin } from "./credential-admin.ts";
import type { Engine } from "./engine.ts";
import { createKeyAdmin } from "./key-admin.ts";
import { createObjectFinder } from "./object-finder.ts";
import { createOperatorAdmin } from "./operator-admin.ts";
import { createOrganizationAdmin } from "./organization-admin.ts";
import { createPriceAdmin } from "./price-admin.ts";
import { createReplyShapeStore } from "./reply-shape-store.ts";
import { createShadowStore } from "./shadow-store.ts";
import { createStateKeyAdmin } from "./state-key-admin.ts";
import { createTokenAdmin } from "./token-admin.ts";
import { createVersionStore } from "./version-store.ts";
import { createWorkflowAdmin } from "./workflow-admin.ts";

/** All reads and changes of the operator's verbs. */
export function createAdminStore(engine: Engine): AdminStore {
  return {
    ...createOrganizationAdmin(engine),
    ...createTokenAdmin(engine),
    ...createWorkflowAdmin(engine),
    ...createCredentialAdmin(engine),
    ...createPriceAdmin(engine),
    ...createBudgetAdmin(engine),
    ...createKeyAdmin(engine),
    ...createOperatorAdmin(engine),
    ...createAuditTrail(engine),
    ...createObjectFinder(engine),
    ...createVersionStore(engine),
    ...createShadowStore(engine),
    ...createStateKeyAdmin(engine),
    ...createReplyShapeStore(engine),
  };
}
