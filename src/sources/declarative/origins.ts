import type { Place } from "./read-document.ts";

const ORIGIN = /^(https?):\/\/(\*\.)?([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/;

/** Refuses what is no origin: only scheme, host and port, in lower case. @throws DeclarationError */
export function checkOrigins(origins: readonly string[], place: Place): void {
  for (const [index, origin] of origins.entries()) {
    if (!ORIGIN.test(origin)) {
      place
        .in(index)
        .refuse(
          "url.origin",
          "an origin is scheme, host and perhaps port, in lower case",
          "write https://api.vendor.example",
        );
    }
  }
}

/** Whether an address's origin is one of those declared, `https://*.x` standing for every host below x. */
export function isDeclared(origin: string, declared: readonly string[]): boolean {
  return declared.some((pattern) => {
    const at = pattern.indexOf("*.");
    if (at < 0) return new URL(pattern).origin === origin;
    const scheme = pattern.slice(0, at);
    const below = pattern.slice(at + 1);
    return origin.startsWith(scheme) && origin.endsWith(below) && origin.length > scheme.length + below.length;
  });
}
