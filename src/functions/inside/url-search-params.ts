import { TextDecoderUtf8, TextEncoderUtf8 } from "./text.ts";

/** `URLSearchParams`: an ordered list of form-encoded names and values. */
export class FormParameters {
  #pairs: [string, string][];
  readonly #changed: (text: string) => void;

  constructor(init: unknown = "", changed: (text: string) => void = () => {}) {
    this.#pairs = pairsOf(init);
    this.#changed = changed;
  }

  get size(): number {
    return this.#pairs.length;
  }
  get(name: unknown): string | null {
    const wanted = wellFormed(name);
    return this.#pairs.find(([known]) => known === wanted)?.[1] ?? null;
  }
  getAll(name: unknown): string[] {
    const wanted = wellFormed(name);
    return this.#pairs.filter(([known]) => known === wanted).map(([, value]) => value);
  }
  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some(
      ([known, held]) => known === wellFormed(name) && (value === undefined || held === wellFormed(value)),
    );
  }
  append(name: unknown, value: unknown): void {
    this.#pairs.push([wellFormed(name), wellFormed(value)]);
    this.#changed(this.toString());
  }
  set(name: unknown, value: unknown): void {
    const wanted = wellFormed(name);
    const first = this.#pairs.findIndex(([known]) => known === wanted);
    if (first === -1) return this.append(name, value);
    this.#pairs[first] = [wanted, wellFormed(value)];
    this.#pairs = this.#pairs.filter(([known], at) => known !== wanted || at === first);
    this.#changed(this.toString());
  }
  delete(name: unknown, value?: unknown): void {
    const wanted = wellFormed(name);
    this.#pairs = this.#pairs.filter(
      ([known, held]) => known !== wanted || (value !== undefined && held !== wellFormed(value)),
    );
    this.#changed(this.toString());
  }
  sort(): void {
    this.#pairs.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
    this.#changed(this.toString());
  }
  forEach(callback: (value: string, name: string, all: FormParameters) => void): void {
    for (const [name, value] of this.#pairs) callback(value, name, this);
  }
  *entries(): IterableIterator<[string, string]> {
    for (const [name, value] of this.#pairs) yield [name, value];
  }
  *keys(): IterableIterator<string> {
    for (const [name] of this.#pairs) yield name;
  }
  *values(): IterableIterator<string> {
    for (const [, value] of this.#pairs) yield value;
  }
  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
  toString(): string {
    return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
  }
}

function pairsOf(init: unknown): [string, string][] {
  if (init === undefined || init === null) return [];
  if (typeof init !== "object") return parsePairs(wellFormed(init));
  if (Symbol.iterator in init)
    return [...(init as Iterable<[unknown, unknown]>)].map(([name, value]) => [wellFormed(name), wellFormed(value)]);
  return Object.entries(init).map(([name, value]) => [wellFormed(name), wellFormed(value)]);
}

function parsePairs(text: string): [string, string][] {
  return text
    .replace(/^\?/, "")
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const equals = part.indexOf("=");
      return equals === -1 ? [decode(part), ""] : [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
    });
}

function encode(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}

function decode(text: string): string {
  const spaced = text.replaceAll("+", " ");
  if (!spaced.includes("%")) return spaced;
  const given = new TextEncoderUtf8().encode(spaced);
  const bytes = new Uint8Array(given.length);
  let end = 0;
  for (let at = 0; at < given.length; at += 1) {
    const digits = given[at] === 0x25 ? String.fromCharCode(given[at + 1] ?? 0, given[at + 2] ?? 0) : "";
    const escaped = /^[0-9A-Fa-f]{2}$/.test(digits);
    bytes[end++] = escaped ? Number.parseInt(digits, 16) : given[at]!;
    if (escaped) at += 2;
  }
  return new TextDecoderUtf8("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end));
}

function wellFormed(value: unknown): string {
  return String(value).toWellFormed();
}
