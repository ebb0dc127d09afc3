import type { TSchema, TString } from "typebox";
import { OperatorError } from "../../terms/operator-error.ts";
import { Type } from "../../terms/schema/type.ts";
import { printableLines } from "../../terms/text/printable.ts";
import { DIGEST_CHARACTERS, SHORT_DIGEST, versionName, type VersionTexts } from "../../terms/version.ts";
import { functionInput, givenOf, sourceInput } from "../shared-inputs.ts";
import type { VerbCall } from "../needs.ts";
import { pagedByCursor, readPage, nextCursor } from "../pagination.ts";
import type { Page, Version, VersionKind, VersionUse } from "../ports.ts";
import { count, listOf, oneOf, orNull, rowsOf, text, time, toWireTime, yesOrNo } from "../result-schemas.ts";
import { unknownFunction, unknownSource } from "../require.ts";
import { defineVerb, type Verb } from "../verb.ts";
import { compareTexts, differencesText, type TextDifferences, toWireDifferences } from "./compare-texts.ts";

type VersionNeed = "store" | "functions" | "sources";

/** What the deployment runs now. */
interface LoadedNow {
  readonly digest: string;
  readonly texts: () => Promise<VersionTexts>;
}

interface KindOfVersion {
  readonly id: typeof functionInput;
  readonly example: string;
  readonly needs: readonly VersionNeed[];
  /** `null` if the deployment has it no more. @throws OperatorError if nothing of this id ever existed */
  loaded(call: VerbCall<VersionNeed>, id: string, isRegistered: boolean): Promise<LoadedNow | null>;
}

const KINDS: Readonly<Record<VersionKind, KindOfVersion>> = {
  function: {
    id: functionInput,
    example: "dfunc_contact_check",
    needs: ["store", "functions"],
    async loaded(call, id, isRegistered) {
      const functions = await call.functions();
      const found = functions.list().find((each) => each.id === id);
      if (found !== undefined) return { digest: found.version, texts: found.texts };
      if (isRegistered) return null;
      throw unknownFunction(id, functions);
    },
  },
  source: {
    id: sourceInput,
    example: "google__phone_number",
    needs: ["store", "sources"],
    async loaded(call, id, isRegistered) {
      const sources = await call.sources();
      const [found, place] = [sources.find(id), sources.placeOf(id)];
      if (found !== undefined && place?.isOn === true) return { digest: found.version, texts: place.texts };
      if (isRegistered || found !== undefined) return null;
      throw unknownSource(id, sources);
    },
  },
};

/** The word for the version that the deployment runs now. */
const LATEST = "latest";

const wireVersion = Type.Object({
  version: { ...text, description: "Its number and the beginning of its digest" },
  number: count,
  digest: text,
  first_used: { ...time, description: "When a service first loaded it; UTC" },
  build: { ...orNull(text), description: "The version of the deployment that first loaded it" },
  deployed_by: { ...orNull(text), description: "The deployer, as `--deployed-by` named it" },
  from: oneOf("catalog", "package", "project"),
  now: { ...yesOrNo, description: "Whether this deployment runs it now, where no workflow names another" },
});

const wireUse = Type.Object({
  workflow: text,
  name: text,
  organization_tuid: text,
  version: { ...text, description: "Its number and the beginning of its digest" },
  number: orNull(count),
  digest: text,
  percent: { ...Type.Number(), description: "The percentage of its runs; 100 pins the version" },
  use: { ...oneOf("run", "shadow"), description: "shadow: the version also runs after the answer" },
});

const wireSide = Type.Object({
  number: { ...orNull(count), description: "null: it was never registered" },
  digest: text,
});

const wireDifferences = {
  files: rowsOf({
    file: text,
    change: oneOf("added", "removed", "changed"),
    diff: { ...orNull(text), description: "In the unified format; null if very many lines differ" },
  }),
  packages: {
    ...rowsOf({ package: text, before: orNull(text), after: orNull(text) }),
    description: "The imported packages of a TypeScript source whose versions differ",
  },
};

/** Makes the two verbs about versions of functions, or of sources. */
export function versionVerbs(kind: VersionKind): { readonly versions: Verb; readonly diff: Verb } {
  const of = KINDS[kind];
  const { example, needs } = of;
  const inputOf = <Schema extends TSchema>(
    more: Readonly<Record<string, Schema>>,
  ): Record<string, Schema | TString> => ({
    [kind]: of.id,
    ...more,
  });

  const versions: Verb = defineVerb({
    summary: `List the versions of a ${kind}, newest first, and the workflows that name one`,
    description: `A version is registered before its first use, with the next number of its ${kind}. NOW marks the version that this deployment runs, unless a workflow names another.`,
    example,
    input: inputOf(pagedByCursor(String.raw`^\d{1,9}$`)),
    positional: [kind],
    role: "viewer",
    changes: false,
    needs,

    result: Type.Object({ versions: listOf(wireVersion), workflows: listOf(wireUse), ...nextCursor }),

    columns: {
      versions: ["version", "first_used", "build", "deployed_by", "from", "now"],
      workflows: ["workflow", "name", "version", "percent", "use"],
    },

    async run(input, call) {
      const subject = String(input[kind]);
      const page = pageOf(input);
      const store = await call.store();
      const all = await store.versions(kind, subject);
      const now = await of.loaded(call, subject, all.length > 0);
      if (now !== null && !all.some(({ digest }) => digest === now.digest))
        call.note(
          `${subject} is now ${versionName({ number: null, digest: now.digest })}, which is not registered: a start does that.`,
        );
      const { lines, next } = await readPage<Version>(
        page,
        call.note,
        ({ number }) => String(number),
        async (wanted) =>
          all
            .filter(({ number }) => wanted.after === undefined || number < Number(wanted.after))
            .slice(0, wanted.limit),
      );
      const numberOf = (digest: string) => all.find((each) => each.digest === digest)?.number ?? null;
      return {
        versions: lines.map((version) => ({
          version: versionName(version),
          number: version.number,
          digest: version.digest,
          first_used: toWireTime(version.firstWallAt),
          build: version.build,
          deployed_by: version.deployedBy,
          from: version.origin,
          now: version.digest === now?.digest,
        })),
        workflows: (await store.versionUses(kind, subject)).map((use) => toWireUse(use, numberOf(use.digest))),
        ...next,
      };
    },

    nothing: { versions: "No version is registered yet.", workflows: "No workflow names a version." },
  });

  const diff: Verb = defineVerb({
    summary: `Show how two versions of a ${kind} differ, in the files that people wrote`,
    description: `A version is named by its number, its digest, or the first ${SHORT_DIGEST} or more characters of its digest. ${LATEST} is what this deployment runs now, registered or not; in a terminal, the file as it is.`,
    example: `${example} 12 13`,
    input: inputOf({ before: whichInput("The earlier version"), after: whichInput("The later version") }),
    positional: [kind, "before", "after"],
    role: "viewer",
    changes: false,
    needs,

    result: Type.Object({ [kind]: text, before: wireSide, after: wireSide, ...wireDifferences }),

    async run(input, call) {
      const subject = input[kind]!;
      const one = await findSide(kind, call, subject, input["before"]!);
      const other = await findSide(kind, call, subject, input["after"]!);
      return {
        [kind]: subject,
        before: { number: one.number, digest: one.digest },
        after: { number: other.number, digest: other.digest },
        ...toWireDifferences(one.digest === other.digest ? NONE : await compareTexts(one.texts, other.texts)),
      };
    },

    render(result) {
      const { before, after, files, packages } = result as unknown as TextDifferences &
        Record<"before" | "after", Side>;
      const head = `${(result as unknown as Record<VersionKind, string>)[kind]}: ${versionName(before)} -> ${versionName(after)}`;
      if (before.digest === after.digest) return `${head}\nThese are the same version.\n`;
      return `${head}\n\n${printableLines(differencesText({ files, packages }))}`;
    },
  });
  return { versions, diff };
}

interface Side {
  readonly number: number | null;
  readonly digest: string;
  readonly texts: VersionTexts;
}

function whichInput(description: string) {
  return Type.String({
    pattern: String.raw`^(\d{1,9}|[a-f0-9]{${SHORT_DIGEST},${DIGEST_CHARACTERS}}|${LATEST})$`,
    description: `${description}: its number, its digest or the beginning of it, or ${LATEST}`,
    "x-says": `must be the number of a version, ${SHORT_DIGEST} to ${DIGEST_CHARACTERS} characters of its digest, or ${LATEST}`,
  });
}

/** @throws OperatorError if there is not exactly one such version, or its stored text is damaged */
async function findSide(kind: VersionKind, call: VerbCall<VersionNeed>, id: string, which: string): Promise<Side> {
  const store = await call.store();
  const all = await store.versions(kind, id);
  const now = await KINDS[kind].loaded(call, id, all.length > 0);
  if (which === LATEST) {
    if (now === null)
      throw new OperatorError(
        "not_found",
        `${id} does not run in this deployment now, so it has no ${LATEST} version.`,
      );
    const number = all.find(({ digest }) => digest === now.digest)?.number ?? null;
    return { number, digest: now.digest, texts: await now.texts() };
  }
  const version = await store.findVersion(kind, id, which);
  const texts = version === null ? null : await store.versionTexts(version);
  if (version === null || texts === null) throw unknownVersion(kind, id, which, all);
  return { number: version.number, digest: version.digest, texts };
}

function unknownVersion(kind: VersionKind, id: string, which: string, all: readonly Version[]): OperatorError {
  const begun = all.filter(({ digest }) => digest.startsWith(which));
  if (begun.length > 1) {
    const named = begun.map(({ number, digest }) => `${number} (${digest})`).join(", ");
    return new OperatorError("invalid", `${which} begins the digests of several versions of ${id}: ${named}.`);
  }
  return new OperatorError(
    "not_found",
    `${id} has no version ${which}. "datarun ${kind} versions ${id}" shows those that exist.`,
  );
}

const NONE: TextDifferences = { files: [], packages: [] };

function pageOf(input: Readonly<Record<string, unknown>>): Page {
  const { limit, after } = input as Page;
  return givenOf({ limit, after });
}

function toWireUse(
  { workflowId, workflowName, organizationId, digest, percent, use }: VersionUse,
  number: number | null,
) {
  return {
    workflow: workflowId,
    name: workflowName,
    organization_tuid: organizationId,
    version: versionName({ number, digest }),
    number,
    digest,
    percent,
    use,
  };
}
