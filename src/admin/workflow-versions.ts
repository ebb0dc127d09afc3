import { isCode } from "../sources/load-stored.ts";
import { Type } from "../terms/schema/type.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { SHORT_DIGEST } from "../terms/version.ts";
import type { VerbCall } from "./needs.ts";
import type { NamedWorkflow, NumberedShare, Version, VersionKind, VersionsChange } from "./ports.ts";
import { requireFunction, requireSource } from "./require.ts";

/** What verbs take that name versions of functions and sources, such as `dfunc_x=13@10%`. */

/** The form alone. The rest is checked with a message of its own. */
const NAMED = "^[^=]{1,128}=[^=]{1,40}$";
const IDS_MAX = 100;

function versionsInput(kind: VersionKind, example: string) {
  return Type.Optional(
    Type.Array(Type.String({ pattern: NAMED, description: `A version of a ${kind}` }), {
      minItems: 1,
      maxItems: IDS_MAX,
      description: `The version of a ${kind} for this workflow: ID=VERSION, ID=VERSION@PERCENT% for a share of its runs, or ID=latest for the loaded version again. VERSION is a number, a digest or the beginning of one`,
      "x-says": `must be ID=VERSION, ID=VERSION@PERCENT% or ID=latest, such as ${example}`,
      "x-placeholder": "ID=VERSION",
    }),
  );
}

export const functionVersionsInput = versionsInput("function", "dfunc_contact_check=12@10%");
export const sourceVersionsInput = versionsInput("source", "gleif__lei_record=7");

export const shadowInputs = {
  shadow: Type.Optional(
    Type.Array(Type.String({ pattern: NAMED, description: "A candidate of a function" }), {
      minItems: 1,
      maxItems: IDS_MAX,
      description:
        "The version of a function whose result is compared with that of this workflow's runs: ID=VERSION, or ID=off. `function shadow` shows the results",
      "x-says": "must be ID=VERSION or ID=off, such as dfunc_contact_check=13",
      "x-placeholder": "ID=VERSION",
    }),
  ),
  shadow_sample: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: "The percentage of runs that are compared with the version of --shadow; 100 by default",
      "x-placeholder": "PERCENT",
      "x-says": "must be a percentage above 0",
    }),
  ),
};

export type VersionParts = Pick<
  VerbCall<"store" | "sources" | "functions" | "storedVersions">,
  "store" | "sources" | "functions" | "storedVersions" | "note"
>;

interface NamedVersions {
  readonly function?: readonly string[] | undefined;
  readonly source?: readonly string[] | undefined;
  readonly shadow?: readonly string[] | undefined;
  readonly shadow_sample?: number | undefined;
}

/** The change that the inputs of `workflow set` name. Every version has been loaded once. @throws OperatorError */
export async function toVersionsChange(
  workflow: NamedWorkflow,
  named: NamedVersions,
  parts: VersionParts,
): Promise<VersionsChange> {
  return {
    ...(named.function !== undefined && { functions: await changesOf("function", named.function, workflow, parts) }),
    ...(named.source !== undefined && { sources: await changesOf("source", named.source, workflow, parts) }),
    ...(named.shadow !== undefined && { shadow: await shadowsOf(named.shadow, named.shadow_sample ?? 100, parts) }),
  };
}

async function shadowsOf(
  texts: readonly string[],
  percent: number,
  parts: VersionParts,
): Promise<Readonly<Record<string, NumberedShare | null>>> {
  const changes: Record<string, NumberedShare | null> = {};
  for (const text of texts) {
    const [id = "", which = ""] = text.split("=");
    if (Object.hasOwn(changes, id)) throw new OperatorError("invalid", `${id} is given twice.`);
    if (which === "off") changes[id] = null;
    else {
      const find = await loadedFinder("function", id, parts);
      changes[id] = await shareOf(await find.version(which), percent, find);
    }
  }
  return changes;
}

async function changesOf(
  kind: VersionKind,
  texts: readonly string[],
  workflow: NamedWorkflow,
  parts: VersionParts,
): Promise<Readonly<Record<string, NumberedShare | null>>> {
  const changes: Record<string, NumberedShare | null> = {};
  for (const text of texts) {
    const { id, which, percent } = readNamed(text);
    if (Object.hasOwn(changes, id)) throw new OperatorError("invalid", `${id} is given twice.`);
    const isNamed = Object.hasOwn(workflow.versions?.[`${kind}s`] ?? {}, id);
    // A version of a function that does not exist any more can be removed nevertheless.
    if (which === null && isNamed) changes[id] = null;
    else {
      const find = await loadedFinder(kind, id, parts);
      changes[id] = which === null ? null : await shareOf(await find.version(which), percent, find);
    }
  }
  return changes;
}

/** The share of runs in `VERSION@10%`, in percent; all without one. NaN if it is no number. */
export function percentIn(share: string | undefined): number {
  return share === undefined ? 100 : Number(share.replace(/%$/, ""));
}

/** @param which `null` for the loaded version */
function readNamed(text: string): { readonly id: string; readonly which: string | null; readonly percent: number } {
  const [id = "", value = ""] = text.split("=");
  const [which = "", share, ...more] = value.split("@");
  const percent = percentIn(share);
  if (more.length > 0 || !(share === undefined || /^\d+(\.\d{1,2})?%?$/.test(share)))
    throw new OperatorError(
      "invalid",
      `${JSON.stringify(value)} is no version: write VERSION, VERSION@PERCENT% or latest.`,
    );
  if (which === "latest") {
    if (share === undefined) return { id, which: null, percent };
    throw new OperatorError(
      "invalid",
      `latest takes no percentage: ${id}=VERSION@PERCENT% gives that version to a share of the runs, and the loaded one to the others.`,
    );
  }
  if (percent > 0 && percent <= 100) return { id, which, percent };
  throw new OperatorError("invalid", `The percentage of ${id} must be more than 0 and at most 100.`);
}

/** Finds versions of one function or source that is loaded. */
export interface LoadedFinder {
  readonly kind: VersionKind;
  readonly id: string;
  /** The digest of the loaded version. */
  readonly loaded: string;
  /** @throws OperatorError if there is no such version, or several fit */
  version(which: string): Promise<Version>;
  /** Loads a version as a run would. @throws OperatorError with the reason if it cannot be used */
  tryVersion(version: Version): Promise<void>;
}

/** @throws OperatorError if there is no function or source with the id */
export async function loadedFinder(kind: VersionKind, id: string, parts: VersionParts): Promise<LoadedFinder> {
  const store = await parts.store();
  const found =
    kind === "function" ? requireFunction(await parts.functions(), id) : requireSource(await parts.sources(), id);
  return {
    kind,
    id,
    loaded: found.version,
    version: async (which) =>
      (await store.findVersion(kind, id, which)) ?? refuse(id, which, await store.versions(kind, id)),
    async tryVersion({ digest }) {
      const versions = await parts.storedVersions();
      if (kind === "function") return void (await versions.tryFunction(id, digest));
      const texts = digest === found.version ? await store.versionTexts({ kind, id, digest }) : null;
      if (texts !== null && isCode(texts.content)) {
        parts.note(
          `${id} is written in TypeScript, and code from the store is not run: once another version is deployed, its calls fail in this workflow until it is set to ${id}=latest.`,
        );
        return;
      }
      await versions.trySource(requireSource(await parts.sources(), id), digest);
    },
  };
}

/** The share of a version that runs can use. @throws OperatorError */
export async function shareOf(
  { digest: version, number, ...rest }: Version,
  percent: number,
  finder: LoadedFinder,
): Promise<NumberedShare> {
  await finder.tryVersion({ digest: version, number, ...rest });
  return { version, number, percent };
}

const LISTED_MAX = 10;

function refuse(id: string, which: string, versions: readonly Version[]): never {
  if (versions.length === 0)
    throw new OperatorError("not_found", `${id} has no version yet: a service registers them at its start.`);
  const fitting = versions.filter(({ digest }) => which.length >= SHORT_DIGEST && digest.startsWith(which));
  if (fitting.length > 1)
    throw new OperatorError("invalid", `${which} fits several versions of ${id}: ${fitting.map(nameOf).join(", ")}.`);
  const newest = versions.slice(0, LISTED_MAX).map(nameOf).join(", ");
  const more = versions.length > LISTED_MAX ? `, and ${versions.length - LISTED_MAX} older` : "";
  throw new OperatorError("not_found", `${id} has no version ${JSON.stringify(which)}. It has ${newest}${more}.`);
}

/** As people read it: its number, and the beginning of its digest. */
export function nameOf({ number, digest }: Pick<Version, "number" | "digest">): string {
  return `${number} (${digest.slice(0, SHORT_DIGEST)})`;
}
