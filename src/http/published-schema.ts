/**
 * The schema of a request as `openapi.json` shows it. The same bodies are valid, but it is said in keywords that
 * generators of clients understand: `if` becomes a choice, and our own sentences about errors are left out.
 */
export function publishedSchema(schema: unknown): object {
  return published(schema) as object;
}

function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published);
  if (typeof value !== "object" || value === null) return value;
  const { "x-says": _, if: condition, then, else: otherwise, ...shown } = value as Readonly<Record<string, unknown>>;
  const plain = Object.fromEntries(Object.entries(shown).map(([name, inner]) => [name, published(inner)]));
  if (condition === undefined) return plain;
  // No value fits both: what fits `else` in our schemas never fits `if`.
  return { ...plain, oneOf: [published(otherwise), { ...(condition as object), ...(published(then) as object) }] };
}
