/** A number, and what holds a value together. */
const EACH = 8;

/** About how many characters a JSON value has. It is not counted further than `enough`. */
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
