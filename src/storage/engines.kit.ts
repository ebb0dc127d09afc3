import type { TestContext } from "node:test";
import type { Act } from "../admin/ports.ts";
import type { SealedCredential } from "../credentials/ports.ts";
import { newId } from "../terms/ids.ts";
import type { Store } from "./store.ts";

/** An engine as the contract tests need it. */
export interface EngineUnderTest {
  readonly name: string;
  newPlace(t: TestContext): Promise<Place>;
  /** Opens a new, empty store, and each time again the same. */
  newStore(t: TestContext): Promise<Place["open"]>;
}

/** Where one new, empty store is kept. */
export interface Place {
  /** Opens the store once more, as another process does, and closes it when the test ends. */
  open(): Promise<Store>;
  /** What is really in a table, in the order of its first columns. */
  rowsOf(table: string): Promise<readonly object[]>;
}

export function engineUnderTest(name: string, newPlace: EngineUnderTest["newPlace"]): EngineUnderTest {
  return { name, newPlace, newStore: async (t) => (await newPlace(t)).open };
}

export const ACT: Act = { who: "ada", via: "cli", what: "test", wallAt: 1_700_000_000_000 };

/** What `aCredential` and its like fill in is arbitrary; what a test is about, it says. */
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
    isDefault: false,
    disabled: false,
    createdWallAt,
    keyId: "key_1",
    sealed: "c2VhbGVk",
    ...parts,
  };
}

/** A second is the promise; a machine that has seven other things to do is given more. */
export const NOTICED_MS = 3_000;

/** Asks until the answer is yes; for what another process must notice within a second. */
export async function within(ms: number, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const giveUpAt = performance.now() + ms;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
