import { hash, randomBytes } from "node:crypto";
import { makeAccessToken, makeOperatorToken, tokenDigest } from "../../src/access/access-token.ts";
import type { IssuedToken, NamedWorkflow, Role, ShadowResult, WorkflowChange } from "../../src/admin/ports.ts";
import type { StoredShape } from "../../src/health/ports.ts";
import type { OpenedStore } from "../../src/composition/open-store.ts";
import { PLAIN_WORKFLOW, type Context } from "../../src/terms/caller.ts";
import type { Clock } from "../../src/terms/time/clock.ts";
import { newId } from "../../src/terms/ids.ts";
import type { JsonObject } from "../../src/terms/json/json.ts";
import { Secret } from "../../src/terms/secret.ts";
import type { Secrets } from "./secrets.ts";

/** An organization and what it calls with. */
export interface Organization {
  readonly id: string;
  readonly token: string;
  readonly tokenId: string;
  readonly workflow: string;
}

/** An operator of the admin API. */
export interface Appointed {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

export type WorkflowFlags = Partial<
  Pick<NamedWorkflow, "autoCredentials" | "failureDetails" | "maskCredentials" | "simulated" | "disabled" | "versions">
>;

export interface CredentialOptions {
  readonly source: string;
  readonly fields: JsonObject;
  readonly isDefault?: boolean;
  readonly contexts?: readonly Context[];
  readonly regions?: readonly string[];
}

/** What an operator does, through the store that the service runs on. */
export function createOperator({ store, sealer }: OpenedStore, clock: Clock, secrets: Secrets) {
  const act = () => ({ who: "operator", via: "cli", what: "test", wallAt: clock.wall() }) as const;

  async function issueToken(organizationId: string, expiresWallAt: number | null = null) {
    const token = secrets.add(makeAccessToken());
    const id = newId("token", clock.wall());
    const digest = tokenDigest(token);
    await store.admin.createToken(act(), {
      id,
      organizationId,
      name: "",
      digest,
      createdWallAt: clock.wall(),
      expiresWallAt,
    });
    return { token, tokenId: id };
  }

  async function createWorkflow(organizationId: string, flags: WorkflowFlags = {}): Promise<string> {
    const { simulated, autoCredentials, failureDetails, maskCredentials, versions } = { ...PLAIN_WORKFLOW, ...flags };
    const id = newId("workflow", clock.wall());
    const createdWallAt = clock.wall();
    const named = { id, organizationId, name: "", createdWallAt, disabled: flags.disabled ?? false };
    const settings = { simulated, autoCredentials, failureDetails, maskCredentials, versions };
    await store.admin.createWorkflow(act(), { ...named, ...settings });
    return id;
  }

  return {
    issueToken,
    createWorkflow,

    async createOrganization(name: string, flags: WorkflowFlags = {}): Promise<Organization> {
      const id = newId("organization", clock.wall());
      await store.admin.createOrganization(act(), { id, name, createdWallAt: clock.wall() });
      return { id, ...(await issueToken(id)), workflow: await createWorkflow(id, flags) };
    },

    async storeCredential(organization: Organization, options: CredentialOptions): Promise<string> {
      const { source, fields, contexts = [], regions = [], isDefault = false } = options;
      secrets.addAll(fields);
      const place = { id: newId("credential", clock.wall()), organizationId: organization.id, source, version: 1 };
      const sealed = await sealer.seal(place, new Secret(fields));
      const createdWallAt = clock.wall();
      await store.admin.createCredential(act(), {
        ...place,
        ...sealed,
        contexts,
        regions,
        isDefault,
        disabled: false,
        createdWallAt,
      });
      return place.id;
    },

    /** Somebody who may use the admin API. */
    async appoint(role: Role, name: string = role, expiresWallAt: number | null = null): Promise<Appointed> {
      const token = secrets.add(makeOperatorToken());
      const id = newId("operator", clock.wall());
      const operator = { id, name, role, digest: tokenDigest(token), createdWallAt: clock.wall(), expiresWallAt };
      if ((await store.admin.createOperator(act(), operator)) === null) throw new Error(`there is an operator ${name}`);
      return { id, name, token };
    },

    /** A one-time code by which a browser logs in as an operator. */
    async makeLoginCode({ id }: Pick<Appointed, "id">, endsWallAt = clock.wall() + 600_000): Promise<string> {
      const code = secrets.add(randomBytes(32).toString("base64url"));
      await store.sessions.addLoginCode({ digest: hash("sha256", code, "hex"), operatorId: id, endsWallAt }, 0);
      return code;
    },

    dismiss: (id: string) => store.admin.revokeOperator(act(), { id }),
    /** The digests of the versions of a function, oldest first. */
    versionsOf: async (functionId: string) =>
      (await store.admin.versions("function", functionId)).map(({ digest }) => digest).toReversed(),
    shadowResults: (functionId: string) => store.admin.shadowResults(functionId),
    addShadowResults: (results: readonly ShadowResult[]) => store.admin.addShadowResults(results, clock.wall()),
    saveReplyShapes: (shapes: readonly StoredShape[]) => store.admin.saveReplyShapes(shapes),
    replyShapes: (source: string) =>
      store.admin.replyShapes({ source, span: "hour", from: 0, to: Number.MAX_SAFE_INTEGER }),
    auditEntries: () => store.admin.auditEntries({ limit: 1_000 }),

    disableCredential: (id: string) => store.admin.setCredentialDisabled(act(), id, true),
    deleteCredential: (id: string) => store.admin.deleteCredential(act(), id),
    changeOrganization: (id: string, change: Parameters<typeof store.admin.changeOrganization>[2]) =>
      store.admin.changeOrganization(act(), id, change),
    revokeToken: (id: string): Promise<IssuedToken | null> => store.admin.revokeToken(act(), { id }),
    changeWorkflow: (id: string, change: WorkflowChange) => store.admin.changeWorkflow(act(), id, change),
  };
}

export type Operator = ReturnType<typeof createOperator>;
