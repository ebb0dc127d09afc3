import type { TestContext } from "node:test";
import type { Act, NewOperator } from "../admin/ports.ts";
import type { SealedCredential } from "../credentials/ports.ts";
import { newId } from "../terms/ids.ts";
import type { Store } from "./store.ts";

/** An engine, as the contract tests use it. */
export interface EngineUnderTest {
  readonly name: string;
  newPlace(t: TestContext): Promise<Place>;
  /** Creates a new, empty store. Each call of the returned function opens it. */
  newStore(t: TestContext): Promise<Place["open"]>;
}

/** One store, empty at first. */
export interface Place {
  /** Opens the store again, as another process does, and closes it when the test ends. */
  open(): Promise<Store>;
  /** The actual rows of a table, in the order of its first columns. */
  rowsOf(table: string): Promise<readonly object[]>;
}

export function engineUnderTest(name: string, newPlace: EngineUnderTest["newPlace"]): EngineUnderTest {
  return { name, newPlace, newStore: async (t) => (await newPlace(t)).open };
}

export const ACT: Act = { who: "ada", via: "cli", what: "test", wallAt: 1_700_000_000_000 };

/** `aCredential` and similar functions fill in arbitrary values; a test states only the values that matter to it. */
export async function anOrganization(store: Store, wallAt = ACT.wallAt): Promise<string> {
  const id = newId("organization", wallAt);
  await store.admin.createOrganization(ACT, { id, name: "Acme", createdWallAt: wallAt });
  return id;
}

export async function aToken(store: Store, organizationId: string, digest: string): Promise<string> {
  const id = newId("token", ACT.wallAt);
  const token = { id, organizationId, name: "back end", digest, createdWallAt: ACT.wallAt, expiresWallAt: null };
  await store.admin.createToken(ACT, token);
  return id;
}

export function anOperator(parts: Partial<NewOperator> = {}): NewOperator {
  const id = newId("operator", ACT.wallAt);
  const wallAt = { createdWallAt: ACT.wallAt, expiresWallAt: null };
  return { id, name: "grace", role: "operator", digest: `digest of ${id}`, ...wallAt, ...parts };
}

export function aWorkflow(organizationId: string) {
  return {
    id: newId("workflow", ACT.wallAt),
    organizationId,
    name: "onboarding",
    disabled: false,
    autoCredentials: false,
    failureDetails: false,
    maskCredentials: false,
    simulated: false,
    versions: null,
    createdWallAt: ACT.wallAt,
  };
}

export function aCredential(organizationId: string, parts: Partial<SealedCredential> = {}): SealedCredential {
  const createdWallAt = parts.createdWallAt ?? ACT.wallAt;
  return {
    id: newId("credential", createdWallAt),
    organizationId,
    source: "acme__people",
    version: 1,
    contexts: [],
    regions: [],
    isDefault: false,
    disabled: false,
    createdWallAt,
    keyId: "key_1",
    sealed: "c2VhbGVk",
    ...parts,
  };
}

/** The guarantee is one second. A busy machine gets more time; without a notice, a change is found minutes later. */
export const NOTICED_MS = 30_000;

/** Polls until `isSo` is true, for changes that another process has to notice within a second. */
export async function within(ms: number, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
