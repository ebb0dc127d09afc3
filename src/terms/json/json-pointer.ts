/** The names in a JSON pointer (RFC 6901), outermost first. */
export function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The pointer to a member of the value at `pointer`. */
export function stepInto(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A location in a readable form: `address.city` for `/address/city`; empty for the whole value. */
export function fieldAt(pointer: string): string {
  return stepsOf(pointer).join(".");
}
