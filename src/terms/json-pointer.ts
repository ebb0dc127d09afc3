/** The names on the way that a JSON pointer (RFC 6901) describes, from the outermost. */
export function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** One step further than a pointer. */
export function stepInto(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A place as people name it: `address.city` for `/address/city`, empty for the whole. */
export function fieldAt(pointer: string): string {
  return stepsOf(pointer).join(".");
}
