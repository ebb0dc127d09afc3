import type { PriceTerm } from "../terms/money/price.ts";
import type {
  CallCounts,
  CredentialStore,
  KeyStore,
  RegisteredRootKey,
  SealedCredential,
  WrappedKey,
} from "./ports.ts";

/** A credential and key store in memory, for tests. It can be told to fail or to hang. */
export class MemoryStore implements CredentialStore, KeyStore, CallCounts {
  mode: "up" | "fails" | "hangs" = "up";
  lookups = 0;
  readonly rows = new Map<string, SealedCredential>();
  readonly keys = new Map<string, WrappedKey>();
  readonly billed = new Map<string, number>();
  readonly prices = new Map<string, readonly PriceTerm[]>();
  registered: RegisteredRootKey | null = null;
  #version = 1;

  async credentialsFor(organizationId: string, source: string): Promise<readonly SealedCredential[]> {
    this.lookups += 1;
    await this.#answer();
    return [...this.rows.values()]
      .filter((row) => row.organizationId === organizationId && row.source === source)
      .sort((a, b) => b.createdWallAt - a.createdWallAt);
  }
  async pricesFor(): Promise<ReadonlyMap<string, readonly PriceTerm[]>> {
    await this.#answer();
    return this.prices;
  }
  async dataKey(keyId: string): Promise<WrappedKey | null> {
    await this.#answer();
    return this.keys.get(keyId) ?? null;
  }
  async addCalls(credentialId: string, monthFrom: number, calls: number): Promise<number> {
    await this.#answer();
    const key = `${credentialId} ${monthFrom}`;
    const total = (this.billed.get(key) ?? 0) + calls;
    this.billed.set(key, total);
    return total;
  }
  version(): number {
    return this.#version;
  }

  async currentDataKey(organizationId: string): Promise<WrappedKey | null> {
    await this.#answer();
    return [...this.keys.values()].findLast((key) => key.organizationId === organizationId) ?? null;
  }
  async addDataKey(key: WrappedKey): Promise<void> {
    await this.#answer();
    this.keys.set(key.id, key);
    this.#version += 1;
  }
  async rootKeyIdsInUse(): Promise<readonly string[]> {
    await this.#answer();
    return [...new Set([...this.keys.values()].map((key) => key.rootKeyId))];
  }
  async registeredRootKey(): Promise<RegisteredRootKey | null> {
    await this.#answer();
    return this.registered;
  }
  async dataKeysAfter(id: string, limit: number): Promise<readonly WrappedKey[]> {
    await this.#answer();
    return pageAfter(this.keys.values(), id, limit);
  }
  async rewrapDataKey(fromRootKeyId: string, to: WrappedKey): Promise<boolean> {
    await this.#answer();
    if (this.keys.get(to.id)?.rootKeyId !== fromRootKeyId) return false;
    this.keys.set(to.id, to);
    this.#version += 1;
    return true;
  }
  async sealedCredentialsAfter(id: string, limit: number): Promise<readonly SealedCredential[]> {
    await this.#answer();
    return pageAfter(this.rows.values(), id, limit);
  }
  async resealCredential(
    from: SealedCredential,
    to: { readonly keyId: string; readonly sealed: string },
  ): Promise<boolean> {
    await this.#answer();
    const row = this.rows.get(from.id);
    if (row?.version !== from.version || row.keyId !== from.keyId) return false;
    this.put({ ...row, ...to });
    return true;
  }

  setPrices(credentialId: string, terms: readonly PriceTerm[]): void {
    this.prices.set(credentialId, terms);
    this.#version += 1;
  }

  put(row: SealedCredential): void {
    this.rows.set(row.id, row);
    this.#version += 1;
  }

  async #answer(): Promise<void> {
    if (this.mode === "fails") throw new Error("connection refused at 10.0.0.1");
    if (this.mode === "hangs") await new Promise(() => {});
  }
}

function pageAfter<Row extends { readonly id: string }>(
  rows: Iterable<Row>,
  id: string,
  limit: number,
): readonly Row[] {
  return [...rows]
    .filter((row) => row.id > id)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}
