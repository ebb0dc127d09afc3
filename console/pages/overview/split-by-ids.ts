/** An id of an object of the store within a sentence. */
const ID = /\b((?:org|wfl|tok|cred|bud|opr)_[0-9a-f]{32})\b/;

/** Splits a sentence into ids and the texts between them. */
export function splitByIds(sentence: string): readonly string[] {
  return sentence.split(ID).filter((part) => part !== "");
}

export function idsIn(sentence: string): readonly string[] {
  return splitByIds(sentence).filter((part) => ID.test(part));
}
