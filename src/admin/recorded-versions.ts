import type { LedgerFilter } from "../ledger/read/ledger-filter.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { DIGEST_CHARACTERS } from "../terms/version.ts";
import { ofStore } from "./names-of.ts";
import { givenOf } from "./shared-inputs.ts";
import type { AdminStore, VersionKind } from "./ports.ts";

/** The number of a recorded digest; `null` if it has none, or the store cannot be asked. */
export type NumberOf = (kind: VersionKind, id: string, digest: string | null) => number | null;

type OpenStore = () => Promise<Pick<AdminStore, "versionsOf" | "findVersion">>;

/** The ledger is shown without numbers where the store does not answer. */
export async function numbersOf(store: OpenStore, digests: readonly (string | null)[]): Promise<NumberOf> {
  const recorded = digests.filter((digest) => digest !== null);
  const versions = await ofStore(recorded, store, (open) => open.versionsOf(recorded), []);
  const numbers = new Map(versions.map((version) => [keyOf(version.kind, version.id, version.digest), version.number]));
  return (kind, id, digest) => (digest === null ? null : (numbers.get(keyOf(kind, id, digest)) ?? null));
}

function keyOf(kind: VersionKind, id: string, digest: string): string {
  return `${kind}/${id}/${digest}`;
}

interface VersionInputs {
  readonly function?: string;
  readonly function_version?: string;
  readonly source?: string;
  readonly source_version?: string;
}

/** The digests that the inputs of a ledger's verb name. @throws OperatorError */
export async function toVersionFilter(
  input: VersionInputs,
  store: OpenStore,
): Promise<Pick<LedgerFilter, "functionVersion" | "sourceVersion">> {
  const { function: functionId, source } = input;
  const functionVersion = await digestOfInput("function", functionId, input.function_version, store);
  const sourceVersion = await digestOfInput("source", source, input.source_version, store);
  return givenOf({ functionVersion, sourceVersion });
}

async function digestOfInput(
  kind: VersionKind,
  id: string | undefined,
  which: string | undefined,
  store: OpenStore,
): Promise<string | undefined> {
  if (which === undefined || which.length === DIGEST_CHARACTERS) return which;
  if (id === undefined)
    throw new OperatorError("usage", `Give --${kind} too, or the whole digest: ${which} is not unique without it.`);
  const version = await (await store()).findVersion(kind, id, which);
  if (version === null) throw new OperatorError("not_found", `${id} has no version ${which}.`);
  return version.digest;
}
