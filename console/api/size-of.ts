/** Characters counted for a number and for the punctuation of a container. */
const EACH = 8;

/** Approximate number of characters of a JSON value. Counting stops at `enough`. */
export function sizeOf(value: unknown, enough: number): number {
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && size <= enough) {
    const one = waiting.pop();
    size += EACH;
    if (typeof one === "string") size += one.length;
    else if (Array.isArray(one)) for (const entry of one) waiting.push(entry);
    else if (typeof one === "object" && one !== null)
      for (const [name, member] of Object.entries(one)) {
        size += name.length;
        waiting.push(member);
      }
  }
  return size;
}
