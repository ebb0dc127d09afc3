import { Fault } from "../terms/fault.ts";
import { freezeDeep, type JsonObject } from "../terms/json/json.ts";
import type { PriceTerm } from "../terms/money/price.ts";
import { Secret } from "../terms/secret.ts";
import type { CredentialPrices } from "../run/ports.ts";
import type { BilledCalls } from "./billed-calls.ts";
import type { SealedCredential } from "./ports.ts";
import { openFields, type NamedKey } from "./seal.ts";
import type { Sealer } from "./sealer.ts";

/**
 * The stored credentials of one organization for one source, with their data keys. A credential is opened when it is
 * first chosen. It is forgotten with the whole list: at the first use after a minute, or unused within ten minutes.
 */
export class StoredCredentials {
  static readonly NONE = new StoredCredentials([], new Map(), new Map());

  readonly rows: readonly SealedCredential[];
  readonly #keys: ReadonlyMap<string, NamedKey | Fault>;
  readonly #opened = new Map<string, Secret<JsonObject>>();
  readonly #prices: ReadonlyMap<string, CredentialPrices>;

  private constructor(
    rows: readonly SealedCredential[],
    keys: ReadonlyMap<string, NamedKey | Fault>,
    prices: ReadonlyMap<string, CredentialPrices>,
  ) {
    this.rows = rows;
    this.#keys = keys;
    this.#prices = prices;
  }

  /** Rejects if the store does not answer. A missing or altered key affects only the credentials sealed with it. */
  static async load(
    {
      found,
      prices,
    }: { readonly found: readonly SealedCredential[]; readonly prices: ReadonlyMap<string, readonly PriceTerm[]> },
    organizationId: string,
    source: string,
    {
      sealer,
      billedCalls,
    }: { readonly sealer: Pick<Sealer, "dataKey">; readonly billedCalls: Pick<BilledCalls, "open"> },
  ): Promise<StoredCredentials> {
    // Rows of another organization or source could not be opened anyway.
    const rows = found.filter((row) => row.organizationId === organizationId && row.source === source);
    const keys = new Map<string, NamedKey | Fault>();
    for (const { keyId, disabled } of rows) {
      if (!disabled && !keys.has(keyId)) keys.set(keyId, await sealer.dataKey(keyId, organizationId).catch(faultOnly));
    }
    const opened = [...prices].map(async ([id, terms]) => [id, await billedCalls.open(id, terms)] as const);
    return new StoredCredentials(rows, keys, new Map(await Promise.all(opened)));
  }

  pricesOf(row: SealedCredential): CredentialPrices | null {
    return this.#prices.get(row.id) ?? null;
  }

  /** @throws Fault `source.credential_missing` if the row or its key was altered */
  open(row: SealedCredential): Secret<JsonObject> {
    const opened = this.#opened.get(row.id);
    if (opened !== undefined) return opened;
    const key = this.#keys.get(row.keyId);
    if (key === undefined) throw new TypeError(`the key of ${row.id} was not loaded`);
    if (key instanceof Fault) throw key;
    const fields = new Secret(freezeDeep(openFields(key, row, row.sealed)));
    this.#opened.set(row.id, fields);
    return fields;
  }
}

function faultOnly(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  throw thrown;
}
