import { createMasking, maskValues } from "../simulation/mask-values.ts";
import { draftSource, type SourceDraft } from "./draft-source.ts";
import { isJsonObject, type Json } from "../terms/json/json.ts";

/**
 * The draft with all values of its samples masked. Words are kept if the draft's rules use them to recognise a record,
 * or if the document lists them as constants.
 */
export function maskSamples(draft: SourceDraft, words: ReadonlySet<string>): SourceDraft {
  const { sample, nobody } = draft;
  const rules = JSON.stringify(draftSource(draft)["match"]);
  const quoted = [...rules.matchAll(/'([^'\n]{1,60})'/g)].map(([, word]) => word!);
  const names = new Set<string>();
  for (const each of ["sample" in nobody ? nobody.sample : null, sample]) collectNames(each, names);
  const masking = createMasking(new Set([...words, ...quoted]), names);
  return {
    ...draft,
    sample: maskValues(sample, masking),
    nobody: "sample" in nobody ? { sample: maskValues(nobody.sample, masking) } : nobody,
  };
}

/** Collects names in the usual form of member names: `CompanyName`, `STATUS_CODE`, `Line1`. Other names may be data. */
function collectNames(value: Json, names: Set<string>): void {
  if (Array.isArray(value)) for (const part of value as readonly Json[]) collectNames(part, names);
  if (!isJsonObject(value)) return;
  for (const [name, part] of Object.entries(value)) {
    if (/^(?:[A-Z][A-Za-z]{0,40}|[A-Z][A-Z_]{0,40})\d{0,2}$/.test(name)) names.add(name);
    collectNames(part, names);
  }
}
