/** Whether a text is an `http` or `https` URL without a user, a query or a fragment. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[@?#\s]/.test(text);
}
