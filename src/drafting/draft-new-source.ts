import type { AuthoringTools, Terminal } from "../admin/authoring/ports.ts";
import { isReadableOnTheWay } from "../terms/origins.ts";
import { askForDraft, type DraftAnswers } from "./ask-for-draft.ts";
import { describeGuess, originsOf } from "./draft-source.ts";
import { importRequest, type ImportInput } from "./import-request.ts";
import { proveDraft } from "./prove-draft.ts";

/** What a person has given with the command, or a program in their place. */
export type NewSource = ImportInput & DraftAnswers & { readonly id: string };

export interface DraftedSource {
  /** The text of its file, whose cases pass. */
  readonly text: string;
  /** What its author should know, in sentences. */
  readonly remarks: readonly string[];
}

/**
 * Drafts a source from what was given, imported and asked.
 * @param schemaPath the path of the format's JSON Schema, from the file
 * @throws OperatorError
 */
export async function draftNewSource(
  given: NewSource,
  schemaPath: string,
  tools: Pick<AuthoringTools, "compile" | "cases">,
  terminal: Terminal,
  note: (sentence: string) => void,
): Promise<DraftedSource> {
  const imported = await importRequest(given, terminal, note);
  const draft = { id: given.id, ...(await askForDraft(given, terminal, imported)) };
  const text = await proveDraft(draft, imported?.words, schemaPath, tools);
  const remarks = [describeGuess(draft)];
  if (draft.format === "xml") remarks.push(XML_LISTS);
  const plain = [...originsOf(draft)].filter(isReadableOnTheWay).join(" and ");
  if (plain !== "") {
    const too = Object.keys(draft.auth.fields).length === 0 ? "" : ", its credential too";
    remarks.push(`What it sends to ${plain} can be read on the way${too}: use https if the vendor offers it.`);
  }
  return { text, remarks };
}

const XML_LISTS =
  "XML does not show which elements are lists: one that can occur several times, but occurs once in the sample, has to be named in reply.lists.";
