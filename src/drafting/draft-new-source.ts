import type { DraftingTools, Terminal } from "./ports.ts";
import { isReadableOnTheWay } from "../terms/http/origins.ts";
import { askForDraft, type DraftAnswers } from "./ask-for-draft.ts";
import { describeGuess, originsOf } from "./draft-source.ts";
import { importRequest, type ImportInput } from "./import-request.ts";
import { proveDraft } from "./prove-draft.ts";

/** The input of `source new`, from a person or a program. */
export type NewSource = ImportInput & DraftAnswers & { readonly id: string };

export interface DraftedSource {
  /** The text of the source file. Its cases pass. */
  readonly text: string;
  /** Sentences for the author. */
  readonly remarks: readonly string[];
}

/**
 * Drafts a source from options, an import and answers.
 * @param schemaPath path of the format's JSON Schema, relative to the file
 * @throws OperatorError
 */
export async function draftNewSource(
  given: NewSource,
  schemaPath: string,
  tools: Pick<DraftingTools, "compile" | "cases">,
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
    const too = Object.keys(draft.auth.fields).length === 0 ? "" : ", including the credential";
    remarks.push(`Requests to ${plain} are not encrypted${too}: use https if the vendor offers it.`);
  }
  return { text, remarks };
}

const XML_LISTS =
  "XML does not show which elements are lists: name an element in reply.lists if it can repeat but occurs once in the sample.";
