import { isCode } from "../sources/load-stored.ts";
import { Type } from "../terms/schema/type.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { SHORT_DIGEST, versionName } from "../terms/version.ts";
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
      "x-says": "must be a percentage above 0 and at most 100",
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
  const isNamed = (kind: VersionKind) => (id: string) => Object.hasOwn(workflow.versions?.[`${kind}s`] ?? {}, id);
  const { function: functions, source: sources, shadow, shadow_sample: percent = 100 } = named;
  const readShadow = (text: string): VersionChoice => {
    const [id = "", which = ""] = text.split("=");
    return { id, which: which === "off" ? null : which, percent };
  };
  return {
    ...(functions !== undefined && {
      functions: await changesOf("function", functions, readNamed, isNamed("function"), parts),
    }),
    ...(sources !== undefined && { sources: await changesOf("source", sources, readNamed, isNamed("source"), parts) }),
    ...(shadow !== undefined && { shadow: await changesOf("function", shadow, readShadow, () => true, parts) }),
  };
}

interface VersionChoice {
  readonly id: string;
  /** `null` for the loaded version or, of a shadow, none. */
  readonly which: string | null;
  readonly percent: number;
}

/** @param isRemovable whether a version of the id can be removed, also if the function does not exist any more */
async function changesOf(
  kind: VersionKind,
  texts: readonly string[],
  read: (text: string) => VersionChoice,
  isRemovable: (id: string) => boolean,
  parts: VersionParts,
): Promise<Readonly<Record<string, NumberedShare | null>>> {
  const changes: Record<string, NumberedShare | null> = {};
  for (const text of texts) {
    const { id, which, percent } = read(text);
    if (Object.hasOwn(changes, id)) throw new OperatorError("invalid", `${id} is given twice.`);
    if (which === null && isRemovable(id)) changes[id] = null;
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

function readNamed(text: string): VersionChoice {
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
export async function shareOf(version: Version, percent: number, finder: LoadedFinder): Promise<NumberedShare> {
  await finder.tryVersion(version);
  return { version: version.digest, number: version.number, percent };
}

const LISTED_MAX = 10;

function refuse(id: string, which: string, versions: readonly Version[]): never {
  if (versions.length === 0)
    throw new OperatorError("not_found", `${id} has no version yet: a service registers them at its start.`);
  const fitting = versions.filter(({ digest }) => which.length >= SHORT_DIGEST && digest.startsWith(which));
  if (fitting.length > 1)
    throw new OperatorError(
      "invalid",
      `${which} fits several versions of ${id}: ${fitting.map(versionName).join(", ")}.`,
    );
  const newest = versions.slice(0, LISTED_MAX).map(versionName).join(", ");
  const more = versions.length > LISTED_MAX ? `, and ${versions.length - LISTED_MAX} older` : "";
  throw new OperatorError("not_found", `${id} has no version ${JSON.stringify(which)}. It has ${newest}${more}.`);
}
