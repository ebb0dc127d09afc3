/**
 * Converts the schema of a request for `openapi.json`. The result accepts the same bodies, with keywords that client
 * generators understand: `if` becomes `oneOf`, and our own error messages (`x-says`) are left out.
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
  // `oneOf` needs exactly one match: in our schemas, a value that matches `else` never matches `if`.
  return { ...plain, oneOf: [published(otherwise), { ...(condition as object), ...(published(then) as object) }] };
}
