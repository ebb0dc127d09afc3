import { atobText, btoaText } from "./base64.ts";
import { structuredCloneOf } from "./clone.ts";
import { parse } from "./intrinsics.ts";
import { RANDOM_BYTES } from "./limits.ts";
import { TextDecoderUtf8, TextEncoderUtf8 } from "./text.ts";
import { FormParameters } from "./url-search-params.ts";
import { urlClass } from "./url.ts";

/** Asks the process outside for something that needs no permission: parsing a URL, random bytes. `null`: no. */
export type Ask = (
  what: "url" | "url-set" | "random" | "uuid",
  first?: string,
  second?: string,
  third?: string,
) => string | null;

/** The parts of the web platform that pure libraries expect. No network, no storage, no clock but `Date`. */
export function installWeb(scope: Record<string, unknown>, ask: Ask): void {
  const started = Date.now();
  scope.TextEncoder = TextEncoderUtf8;
  scope.TextDecoder = TextDecoderUtf8;
  scope.structuredClone = structuredCloneOf;
  scope.atob = atobText;
  scope.btoa = btoaText;
  scope.URLSearchParams = FormParameters;
  scope.URL = urlClass(ask);
  scope.performance = { now: () => Date.now() - started, timeOrigin: started };
  scope.crypto = {
    randomUUID: () => ask("uuid"),
    getRandomValues: <Values extends Uint8Array>(values: Values): Values => {
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      if (bytes.length > RANDOM_BYTES) throw new RangeError("at most 65,536 random bytes at once");
      bytes.set(parse(ask("random", String(bytes.length)) ?? "[]") as number[]);
      return values;
    },
  };
}
