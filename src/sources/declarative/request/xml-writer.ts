import { inDigits, isNumber } from "../../../terms/exact-number.ts";
import { isJsonObject, type Json } from "../../../terms/json.ts";

/** Elements in the form of JSON: `@name` is an attribute, `#text` the text beside attributes, a list repeats its element. */
export const XML_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*(?::[A-Za-z_][A-Za-z0-9_.-]*)?$/;

/** Writes one root element. Names are known to be XML names, and text to hold no character that XML cannot say. */
export function writeXml(root: string, content: Json): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${element(root, content)}`;
}

function element(name: string, content: Json): string {
  if (Array.isArray(content)) return content.map((entry: Json) => element(name, entry)).join("");
  if (!isJsonObject(content)) return `<${name}>${escapeXml(scalar(content))}</${name}>`;
  let attributes = "";
  let inside = "";
  for (const [key, value] of Object.entries(content)) {
    if (key === "#text") inside += escapeXml(scalar(value));
    else if (key.startsWith("@")) attributes += ` ${key.slice(1)}="${escapeXml(scalar(value))}"`;
    else inside += element(key, value);
  }
  return `<${name}${attributes}>${inside}</${name}>`;
}

function scalar(value: Json): string {
  if (isNumber(value)) return inDigits(value);
  return value === null || typeof value === "object" ? "" : String(value);
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\r\n]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
