import { atobText, btoaText } from "./base64.ts";
import { structuredCloneOf } from "./clone.ts";
import { RANDOM_BYTES } from "./bridge-limits.ts";
import { Bytes, createRandom, uuidOf } from "./random.ts";
import type { SteadyClock } from "./steady-clock.ts";
import { TextDecoderUtf8, TextEncoderUtf8 } from "./text.ts";
import { FormParameters } from "./url-search-params.ts";
import { urlClass, type Ask, type Pause } from "./url.ts";

/** The parts of the web platform that pure libraries expect: no network, no storage, no clock except `Date`. */
export function installWeb(
  scope: Record<string, unknown>,
  { now }: SteadyClock,
  ask: Ask,
  pause: Pause,
  seed: string,
): void {
  const timeOrigin = Date.now();
  const started = now();
  const fill = createRandom(seed);
  scope.TextEncoder = TextEncoderUtf8;
  scope.TextDecoder = TextDecoderUtf8;
  scope.structuredClone = structuredCloneOf;
  scope.atob = atobText;
  scope.btoa = btoaText;
  scope.URLSearchParams = FormParameters;
  scope.URL = urlClass(ask, pause);
  scope.performance = { now: () => now() - started, timeOrigin };
  scope.crypto = {
    randomUUID: () => uuidOf(fill),
    getRandomValues: <Values extends Uint8Array>(values: Values): Values => {
      const bytes = new Bytes(values.buffer, values.byteOffset, values.byteLength);
      if (bytes.length > RANDOM_BYTES) throw new RangeError("at most 65,536 random bytes at once");
      fill(bytes);
      return values;
    },
  };
}
