/** The error of a response without the id of its request, by which all that are alike differ. */
export function errorOf({ text }: { readonly text: string }): object {
  const { error } = JSON.parse(text) as { readonly error: { readonly request_id: string } };
  const { request_id: _, ...rest } = error;
  return rest;
}
