import type { Json } from "../json/json.ts";

/** Thrown for a refused document; the message contains nothing of the document. */
export class XmlProblem extends Error {}

const DEPTH_MAX = 64;
/** Limit for elements, attributes, comments, processing instructions and references together. */
export const XML_VALUES_MAX = 50_000;
/**
 * The most different names in one element. An object with many names takes several times as long to build as a list.
 */
export const XML_NAMES_MAX = 10_000;
/** Longer than any reference that XML or HTML defines. */
const REFERENCE_CHARS_MAX = 40;

/** The elements that are always lists, even if they occur once: by name, below the root. */
export interface ListNames {
  readonly isList: boolean;
  readonly below: ReadonlyMap<string, ListNames>;
}

/** An element whose end tag has not been read yet. */
interface Open {
  /** The name as written, to compare with the end tag. */
  readonly tag: string;
  readonly name: string;
  readonly lists: ListNames | undefined;
  /** Attributes and elements. */
  readonly members: Record<string, Json>;
  /** The declared prefixes, with whether each means the namespace of `nil`. */
  namespaces: Map<string, boolean> | null;
  /** The prefixes with which `nil` is true. */
  nilPrefixes: string[] | null;
  /**
   * The attribute with a prefix of each local name; `""` if several share the name, so that none is shortened to it.
   */
  prefixed: Map<string, string> | null;
  names: number;
  isEmpty: boolean;
  text: string;
  /** White space after the text. It is part of the text if more text follows before a child element. */
  blanks: string;
  /** Whether white space at the ends of the text is preserved. */
  isVerbatim: boolean;
}

/** The namespace of `xsi:nil`. */
export const SCHEMA_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";

const BLANK = 1;
const NAME_START = 2;
const NAME_REST = 4;
/** The kinds of the ASCII characters. All other characters may be part of a name, and are not white space. */
const KINDS = new Uint8Array(128);
for (const blank of " \t\r\n") KINDS[blank.charCodeAt(0)] = BLANK;
for (let code = 0; code < 128; code += 1) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_:]/.test(character)) KINDS[code] = NAME_START | NAME_REST;
  else if (/[-.0-9]/.test(character)) KINDS[code] = NAME_REST;
}

function isKind(code: number, kind: number): boolean {
  return code < 128 ? (KINDS[code]! & kind) !== 0 : kind !== BLANK;
}

/**
 * Reads a document in one pass without backtracking, so that the time only grows with its length, whatever it contains.
 * Values, comments and references are counted while they are read. Entities cannot be defined: a document type
 * declaration, the only way to do so, is refused. @throws XmlProblem
 */
export function parseXml(text: string, lists: ListNames): Json {
  return new XmlParser(text, lists).parse();
}

class XmlParser {
  readonly #text: string;
  readonly #lists: ListNames;
  readonly #open: Open[] = [];
  readonly #document: Record<string, Json> = {};
  #at = 0;
  #valuesLeft = XML_VALUES_MAX;
  #isOver = false;

  constructor(text: string, lists: ListNames) {
    this.#text = text;
    this.#lists = lists;
  }

  parse(): Json {
    for (;;) {
      const markup = this.#text.indexOf("<", this.#at);
      this.#addText(this.#text.slice(this.#at, markup === -1 ? undefined : markup));
      if (markup === -1) break;
      this.#at = markup + 1;
      this.#readMarkup();
    }
    if (!this.#isOver) throw notXml();
    return this.#document;
  }

  /** Continues after a `<`. */
  #readMarkup(): void {
    switch (this.#text[this.#at]) {
      case "/":
        return this.#readEndTag();
      case "?":
        this.#count();
        this.#through("?>");
        return;
      case "!":
        return this.#readDeclaration();
      default:
        return this.#readStartTag();
    }
  }

  #readDeclaration(): void {
    this.#count();
    if (this.#text.startsWith("!--", this.#at)) {
      this.#at += 3;
      this.#through("-->");
    } else if (this.#text.startsWith("![CDATA[", this.#at)) {
      this.#at += 8;
      this.#addVerbatim(this.#through("]]>"));
    } else throw new XmlProblem("it has a document type declaration");
  }

  /** Returns the text before the next `end`, and continues after it. */
  #through(end: string): string {
    const found = this.#text.indexOf(end, this.#at);
    if (found === -1) throw notXml();
    const before = this.#text.slice(this.#at, found);
    this.#at = found + end.length;
    return before;
  }

  #readStartTag(): void {
    const tag = this.#readName();
    const name = localName(tag);
    const parent = this.#open.at(-1);
    if (parent === undefined && this.#isOver) throw notXml();
    if (this.#open.length === DEPTH_MAX) throw new XmlProblem("it is nested too deeply");
    this.#count();
    const lists = (parent === undefined ? this.#lists : parent.lists)?.below.get(name);
    const opened = openElement(tag, name, lists);
    if (parent !== undefined) parent.blanks = "";
    this.#open.push(opened);
    for (;;) {
      const hadBlanks = this.#skipBlanks();
      if (this.#skip(">")) return;
      if (this.#skip("/>")) return this.#close();
      if (!hadBlanks) throw notXml();
      this.#readAttribute(opened);
    }
  }

  #readAttribute(element: Open): void {
    const written = this.#readName();
    this.#skipBlanks();
    if (!this.#skip("=")) throw notXml();
    this.#skipBlanks();
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") throw notXml();
    this.#at += 1;
    const value = this.#through(quote);
    if (value.includes("<")) throw notXml();
    this.#count();
    if (written.startsWith("xmlns:")) {
      element.namespaces ??= new Map();
      element.namespaces.set(written.slice("xmlns:".length), value.trim() === SCHEMA_INSTANCE);
      return;
    }
    const read = this.#readReferences(value).trim();
    if (written.endsWith(":nil") && (read === "true" || read === "1"))
      (element.nilPrefixes ??= []).push(written.slice(0, -":nil".length));
    element.members[nameAttribute(element, written)] = read;
    element.isEmpty = false;
    countName(element);
  }

  #readEndTag(): void {
    this.#at += 1;
    const tag = this.#readName();
    this.#skipBlanks();
    if (!this.#skip(">") || this.#open.at(-1)?.tag !== tag) throw notXml();
    this.#close();
  }

  #close(): void {
    const element = this.#open.pop()!;
    const { name, lists, members, isEmpty, text, isVerbatim } = element;
    const parent = this.#open.at(-1);
    const content = isVerbatim ? text : text.trim();
    if (!isEmpty && content !== "") members["#text"] = content;
    const value = this.#isNil(element) ? null : isEmpty ? content : members;
    const isNew = add(parent?.members ?? this.#document, name, value, lists?.isList === true);
    if (parent === undefined) this.#isOver = true;
    else {
      parent.isEmpty = false;
      if (isNew) countName(parent);
    }
  }

  /**
   * Whether the element has no content and declares that (XML Schema 1.0, 2.6.2). Its other attributes are then
   * dropped.
   */
  #isNil({ nilPrefixes, namespaces, members }: Open): boolean {
    if (nilPrefixes === null || !Object.keys(members).every((name) => name.startsWith("@"))) return false;
    const scopes = [...this.#open.map((open) => open.namespaces), namespaces];
    return nilPrefixes.some((prefix) => {
      const declared = scopes.findLast((scope) => scope?.has(prefix) === true);
      // Excerpts of documents often lack the declaration of this well-known prefix.
      return declared?.get(prefix) ?? prefix === "xsi";
    });
  }

  #addText(text: string): void {
    const element = this.#open.at(-1);
    if (endOfBlanks(text, 0) === text.length) {
      if (element !== undefined && (element.text !== "" || element.isVerbatim)) element.blanks += text;
      return;
    }
    if (element === undefined) throw notXml();
    element.text += takeBlanks(element) + this.#readReferences(text);
  }

  #addVerbatim(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined) throw notXml();
    element.text += takeBlanks(element) + text;
    element.isVerbatim = true;
  }

  #readReferences(text: string): string {
    let read = "";
    let from = 0;
    for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", from)) {
      this.#count();
      const end = text.slice(at, at + REFERENCE_CHARS_MAX).indexOf(";");
      if (end < 2) throw notXml();
      const whole = text.slice(at, at + end + 1);
      read += text.slice(from, at) + (charactersOf(whole.slice(1, -1)) ?? whole);
      from = at + whole.length;
    }
    return from === 0 ? text : read + text.slice(from);
  }

  #count(): void {
    if ((this.#valuesLeft -= 1) < 0) throw new XmlProblem("it has too many values");
  }

  #readName(): string {
    const text = this.#text;
    const from = this.#at;
    let at = from;
    if (at >= text.length || !isKind(text.charCodeAt(at), NAME_START)) throw notXml();
    for (at += 1; at < text.length && isKind(text.charCodeAt(at), NAME_REST); at += 1);
    this.#at = at;
    return text.slice(from, at);
  }

  #skipBlanks(): boolean {
    const from = this.#at;
    this.#at = endOfBlanks(this.#text, from);
    return this.#at > from;
  }

  #skip(written: string): boolean {
    const isThere = this.#text.startsWith(written, this.#at);
    if (isThere) this.#at += written.length;
    return isThere;
  }
}

function openElement(tag: string, name: string, lists: ListNames | undefined): Open {
  return {
    tag,
    name,
    lists,
    members: {},
    namespaces: null,
    nilPrefixes: null,
    prefixed: null,
    names: 0,
    isEmpty: true,
    text: "",
    blanks: "",
    isVerbatim: false,
  };
}

function takeBlanks(element: Open): string {
  const { blanks } = element;
  element.blanks = "";
  return blanks;
}

/**
 * The member for an attribute. `xsi:type` is `@type`, too, unless another attribute of the element has the same local
 * name: then each attribute with a prefix keeps it, in any order. @throws XmlProblem if the attribute is repeated
 */
function nameAttribute(element: Open, written: string): string {
  const { members } = element;
  const local = localName(written);
  const short = `@${local}`;
  const owner = element.prefixed?.get(local);
  if (written === local) {
    if (!Object.hasOwn(members, short)) return short;
    if (owner === undefined || owner === "") throw notXml();
    members[`@${owner}`] = members[short]!;
    element.prefixed!.set(local, "");
    return short;
  }
  const whole = `@${written}`;
  if (owner === written || Object.hasOwn(members, whole)) throw notXml();
  element.prefixed ??= new Map();
  if (owner === undefined && !Object.hasOwn(members, short)) {
    element.prefixed.set(local, written);
    return short;
  }
  if (owner !== undefined && owner !== "") {
    members[`@${owner}`] = members[short]!;
    delete members[short];
  }
  element.prefixed.set(local, "");
  return whole;
}

function countName(element: Open): void {
  if ((element.names += 1) > XML_NAMES_MAX) throw new XmlProblem("an element in it has too many different names");
}

function endOfBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isKind(text.charCodeAt(at), BLANK)) at += 1;
  return at;
}

/** A name without its namespace prefix. */
function localName(written: string): string {
  const name = written.slice(written.indexOf(":") + 1);
  if (name === "" || name.includes(":")) throw notXml();
  return name;
}

/**
 * Adds a member; an element that repeats becomes a list. No name is special, not even `__proto__`. @returns whether the
 * name is new
 */
function add(members: Record<string, Json>, name: string, value: Json, isList: boolean): boolean {
  if (!Object.hasOwn(members, name)) {
    const made = isList ? [value] : value;
    if (name === "__proto__") Object.defineProperty(members, name, { value: made, ...PLAIN });
    else members[name] = made;
    return true;
  }
  const there = members[name]!;
  if (Array.isArray(there)) (there as Json[]).push(value);
  else members[name] = [there, value];
  return false;
}

const PLAIN = { enumerable: true, configurable: true, writable: true };

const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }),
);

/** The character for one of XML's own references; `undefined` for others, which stay unchanged. */
function charactersOf(reference: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9]*$/.test(reference)) return NAMED.get(reference);
  const isHex = reference[1] === "x";
  const digits = reference.slice(isHex ? 2 : 1);
  if (!reference.startsWith("#") || !(isHex ? /^[0-9A-Fa-f]{1,6}$/ : /^[0-9]{1,7}$/).test(digits)) throw notXml();
  const point = Number.parseInt(digits, isHex ? 16 : 10);
  return point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : "\ufffd";
}

function notXml(): XmlProblem {
  return new XmlProblem("it is not XML");
}
