import type { AdminStore } from "../admin/ports.ts";
import { auditTrail } from "./audit-trail.ts";
import { credentialAdmin } from "./credential-admin.ts";
import type { Engine } from "./engine.ts";
import { keyAdmin } from "./key-admin.ts";
import { organizationAdmin } from "./organization-admin.ts";
import { tokenAdmin } from "./token-admin.ts";
import { workflowAdmin } from "./workflow-admin.ts";

/** Everything the operator's verbs read and change. */
export function adminStore(engine: Engine): AdminStore {
  return {
    ...organizationAdmin(engine),
    ...tokenAdmin(engine),
    ...workflowAdmin(engine),
    ...credentialAdmin(engine),
    ...keyAdmin(engine),
    ...auditTrail(engine),
  };
}
