/** `/runs/:id` matches `/runs/trx_1` with `{ id: "trx_1" }`; `null` if it does not match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  const parameters: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(":")) parameters[part.slice(1)] = decode(given[at]!);
    else if (part !== given[at]) return null;
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
