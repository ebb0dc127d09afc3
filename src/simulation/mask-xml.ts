import type { Masking } from "./mask-values.ts";

const REFERENCE = /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(lt|gt|amp|quot|apos));/g;
const NAMED: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);
/** Matches one attribute of a tag. */
const ATTRIBUTE = /\s+([^\s=<>"'/]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;
/** Values of `xsi:nil`, which belong to the format. */
const BOOLEAN = /^\s*(?:true|false|0|1)\s*$/;
const TAG_NAME = /\/?[^\s<>/"'=!?]+/y;
const TAG_END = /\s*\/?>/y;

/**
 * Masks all texts of an XML document: between tags, in CDATA and in attributes. Comments and processing instructions
 * are dropped. `null` for XML that cannot be parsed, because names and values cannot be told apart then.
 */
export function maskXml(xml: string, masking: Masking): string | null {
  let made = "";
  let at = 0;
  while (at < xml.length) {
    const tag = xml.indexOf("<", at);
    made += maskedText(readText(xml.slice(at, tag === -1 ? xml.length : tag)), masking);
    if (tag === -1) return made;
    const next = partAt(xml, tag, masking);
    if (next === null) return null;
    made += next.made;
    at = next.end;
  }
  return made;
}

interface MaskedPart {
  readonly made: string;
  readonly end: number;
}

function partAt(xml: string, at: number, masking: Masking): MaskedPart | null {
  if (xml.startsWith("<![CDATA[", at)) {
    const end = xml.indexOf("]]>", at);
    return end === -1 ? null : { made: maskedText(xml.slice(at + 9, end), masking), end: end + 3 };
  }
  if (xml.startsWith("<!--", at)) return until("-->", "");
  // The masked text is always written as UTF-8.
  if (xml.startsWith("<?xml ", at)) return until("?>", '<?xml version="1.0" encoding="UTF-8"?>');
  if (xml.startsWith("<?", at)) return until("?>", "");
  return tagAt(xml, at, masking);

  function until(mark: string, made: string): MaskedPart | null {
    const end = xml.indexOf(mark, at + 2);
    return end === -1 ? null : { made, end: end + mark.length };
  }
}

function tagAt(xml: string, at: number, masking: Masking): MaskedPart | null {
  const name = matchAt(TAG_NAME, xml, at + 1);
  if (name === null) return null;
  const isClosing = name[0].startsWith("/");
  let made = `<${isClosing ? "/" : ""}${maskedName(isClosing ? name[0].slice(1) : name[0], masking)}`;
  let end = at + 1 + name[0].length;
  for (let found = matchAt(ATTRIBUTE, xml, end); found !== null; found = matchAt(ATTRIBUTE, xml, end)) {
    const [whole, written = "", double, single] = found;
    const value = readText(double ?? single ?? "");
    // The URI of a declared namespace belongs to the format.
    const isDeclaration = written === "xmlns" || written.startsWith("xmlns:");
    const isKept = isDeclaration || (written.endsWith(":nil") && BOOLEAN.test(value));
    made += ` ${maskedName(written, masking)}="${escaped(isKept ? value : masking.text(value))}"`;
    end += whole.length;
  }
  const closing = matchAt(TAG_END, xml, end);
  return closing === null ? null : { made: made + closing[0].trimStart(), end: end + closing[0].length };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Prefix and local name are masked separately. */
function maskedName(written: string, masking: Masking): string {
  return written
    .split(":")
    .map((part) => masking.name(part).replaceAll(/[^\p{L}\p{N}_.-]/gu, "_"))
    .join(":");
}

function maskedText(text: string, masking: Masking): string {
  return text.trim() === "" ? text : escaped(masking.text(text));
}

function readText(text: string): string {
  return text.replaceAll(REFERENCE, (_, hex?: string, decimal?: string, name = "") => {
    if (hex === undefined && decimal === undefined) return NAMED.get(name as string)!;
    const code = Number.parseInt(hex ?? decimal!, hex === undefined ? 10 : 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "?";
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
