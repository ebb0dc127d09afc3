/** An id of a thing of the store, as the service writes it into a sentence. */
const ID = /\b((?:org|wfl|tok|cred|bud|opr)_[0-9a-f]{32})\b/;

/** A sentence in parts, each of which is an id, or text between ids. */
export function splitByIds(sentence: string): readonly string[] {
  return sentence.split(ID).filter((part) => part !== "");
}

export function idsIn(sentence: string): readonly string[] {
  return splitByIds(sentence).filter((part) => ID.test(part));
}
