/**
 * Where a text stops being valid JSON: `line 3, column 7`, counted from 1; `null` if it is valid. For people who wrote
 * the text by hand; for other documents, only the kind of problem is reported.
 */
export function firstJsonError(text: string): string | null {
  const open: ("{" | "[")[] = [];
  let may: State = "value";
  let at = 0;
  for (;;) {
    at = after(BLANKS, text, at);
    if (at === text.length) return may === "end" ? null : placeAt(text, at);
    const [token] = matchAt(TOKEN, text, at) ?? [];
    const next: State | undefined = token === undefined ? undefined : follow(token, may, open);
    if (next === undefined) return placeAt(text, at);
    may = next;
    at += token!.length;
  }
}

/** The tokens that may follow: any value, a value or the end of an empty list, a key, and so on. */
type State = "value" | "value or ]" | "key" | "key or }" | ":" | ", or close" | "end";

const BLANKS = /[ \t\n\r]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y; // oxlint-disable-line no-control-regex -- JSON forbids them in texts

/** The state after a token; `undefined` if the token is not allowed here. Updates `open` for brackets. */
function follow(token: string, may: State, open: ("{" | "[")[]): State | undefined {
  if (token === "}" || token === "]") {
    const opener = token === "}" ? "{" : "[";
    const isEmpty = may === (token === "}" ? "key or }" : "value or ]");
    if (open.at(-1) !== opener || !(isEmpty || may === ", or close")) return undefined;
    open.pop();
    return open.length === 0 ? "end" : ", or close";
  }
  if (token === ",") return may !== ", or close" ? undefined : open.at(-1) === "{" ? "key" : "value";
  if (token === ":") return may === ":" ? "value" : undefined;
  if (may === "key" || may === "key or }") return token.startsWith('"') ? ":" : undefined;
  if (may !== "value" && may !== "value or ]") return undefined;
  if (token === "{" || token === "[") {
    open.push(token);
    return token === "{" ? "key or }" : "value or ]";
  }
  return open.length === 0 ? "end" : ", or close";
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function after(pattern: RegExp, text: string, at: number): number {
  return at + (matchAt(pattern, text, at)?.[0].length ?? 0);
}

function placeAt(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
