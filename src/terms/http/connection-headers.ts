/**
 * Header fields that describe the connection or the framing of a message. Only the HTTP client may set them, no author
 * of a source: a wrong one could make a vendor read one request as two.
 */
export const CONNECTION_HEADERS: readonly string[] = [
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
