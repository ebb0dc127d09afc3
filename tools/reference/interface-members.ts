import { readFileSync } from "node:fs";
import { code, table } from "./markdown.ts";

/** A member of an interface as its file declares it. */
export interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  /** Its type, or its parameters and what it returns. */
  readonly type: string;
  readonly says: string;
}

/**
 * The members of an exported interface with their comments, read from its text: one comment before a member, which ends in a
 * semicolon. Members named by symbols do not concern authors and are left out.
 * @throws Error where the interface is not there, or a member has no comment
 */
export function membersOf(file: URL, name: string): readonly Member[] {
  const text = readFileSync(file, "utf8").replaceAll(/ \/\/ oxlint-.*$/gm, "");
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{([^]*?)^\\}`, "m").exec(text)?.[1];
  if (body === undefined) throw new Error(`${file.pathname} has no interface ${name}`);
  const members: Member[] = [];
  for (let rest = body.trimStart(); rest !== "";) {
    const [comment, said = ""] = /^\/\*\*([^]*?)\*\/\s*/.exec(rest) ?? [""];
    const declared = upToSemicolon(rest.slice(comment.length));
    const member = toMember(declared, said);
    if (member !== null) members.push(member);
    rest = rest.slice(comment.length + declared.length + 1).trimStart();
  }
  const silent = members.find(({ says }) => says === "");
  if (silent !== undefined) throw new Error(`${file.pathname}: ${name}.${silent.name} has no comment`);
  return members;
}

function upToSemicolon(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ("([{".includes(text[at]!)) depth += 1;
    else if (")]}".includes(text[at]!)) depth -= 1;
    else if (text[at] === ";" && depth === 0) return text.slice(0, at);
  }
  return text;
}

function toMember(declared: string, comment: string): Member | null {
  const flat = declared
    .replaceAll(/\/\*\*[^]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (/^(?:readonly )?\[/.test(flat)) return null;
  const [, name, mark = "", type = ""] = /^(?:readonly )?([a-z_]\w*)(\?)?(?:: )?(.*)$/i.exec(flat) ?? [];
  if (name === undefined) return null;
  return {
    name,
    isOptional: mark === "?" || type.endsWith("| undefined"),
    type: type.replace(/^\(this: void, /, "(").replace(/ \| undefined$/, ""),
    says: comment
      .replaceAll(/^\s*\* ?/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  };
}

/** Its members as a table of a page. */
export function memberTable(members: readonly Member[]): string {
  return table(
    ["name", "type", "required", "meaning"],
    members.map(({ name, type, isOptional, says }) => [
      code(type.startsWith("(") ? `${name}${type}` : name),
      type.startsWith("(") ? "" : code(type),
      isOptional ? "no" : "yes",
      says,
    ]),
  );
}

/** The same for what is only read, where nothing is left out. */
export function givenTable(members: readonly Member[]): string {
  return table(
    ["name", "type", "meaning"],
    members.map(({ name, type, says }) => [
      code(type.startsWith("(") ? `${name}${type}` : name),
      type.startsWith("(") ? "" : code(type),
      says,
    ]),
  );
}
