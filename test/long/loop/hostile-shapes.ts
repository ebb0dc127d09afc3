const MIB = 1024 * 1024;

/**
 * Replies within every limit that are made to take the thread which everybody shares: by name, their text. The first ones
 * cost their parse, those further down what is done with numbers, names and texts besides.
 */
export const HOSTILE_JSON: Readonly<Record<string, () => string>> = {
  "one text": () => object(`"text":"${"x".repeat(4.9 * MIB)}"`),
  "a text of escapes": () => object(`"text":"${"\\u0041\\n".repeat(0.6 * MIB)}"`),
  "a text of other alphabets": () => object(`"text":"${"é漢😀".repeat(0.54 * MIB)}"`),
  "empty objects": () => object(`"list":[${list(49_000, () => "{}")}]`),
  "blanks between empty objects": () => object(`"list":[${list(49_000, () => `{}${" ".repeat(95)}`)}]`),
  "objects of a common kind": () => object(`"list":[${list(8_200, () => `{${members(11, (at) => `name_${at}`)}}`)}]`),
  "objects with names of their own": () =>
    object(`"list":[${list(8_200, (one) => `{${members(11, (at) => `name_${at}_${one}`)}}`)}]`),
  "one object of many names": () => object(members(49_990, (at) => `name_of_a_member_that_is_rather_long_${at}`)),
  "one object of many numbers as names": () => object(members(49_990, (at) => String((at * 7_919) % 4_000_000_000))),
  "objects within objects": () => object(`"list":[${list(1_500, () => `${'{"a":'.repeat(61)}1${"}".repeat(61)}`)}]`),
  "long numbers": () => object(`"list":[${list(99_000, () => `1${"0".repeat(47)}`)}]`),
  "numbers that a double changes": () => object(`"list":[${list(19_000, () => `0.${"123456789".repeat(27)}`)}]`),
  "one number of millions of digits": () => object(`"number":0.${"3".repeat(4.9 * MIB)}`),
  "texts that look like numbers, and one number": () =>
    object(`"number":12345678901234567890,"list":[${list(99_000, () => `"\\"${"1234567890".repeat(4)}"`)}]`),
};

/** The same for XML, at most 2 MiB. */
export const HOSTILE_XML: Readonly<Record<string, () => string>> = {
  "elements of one name": () => `<a>${"<b/>".repeat(49_000)}</a>`,
  "elements with attributes": () =>
    `<a>${list(16_000, (at) => `<b x="${at}" y="&amp;&#233;">é</b>`).replaceAll(",", "")}</a>`,
  "elements of many names": () =>
    `<a>${list(5, () => `<b>${list(9_000, (at) => `<name_${at}>x</name_${at}>`).replaceAll(",", "")}</b>`).replaceAll(",", "")}</a>`,
  "a long text": () => `<a>${"é ".repeat(0.66 * MIB)}</a>`,
  "elements within elements": () =>
    `<a>${list(700, () => `${"<b>".repeat(62)}${"</b>".repeat(62)}`).replaceAll(",", "")}</a>`,
};

function object(inside: string): string {
  return `{"ok":true,${inside}}`;
}

function list(count: number, entry: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => entry(at)).join(",");
}

function members(count: number, name: (at: number) => string): string {
  return list(count, (at) => `"${name(at)}":${at}`);
}
