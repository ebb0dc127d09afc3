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

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function btoaText(given: unknown): string {
  const text = String(given);
  let encoded = "";
  for (let at = 0; at < text.length; at += 3) {
    const left = text.length - at;
    const bytes = [byteAt(text, at), left > 1 ? byteAt(text, at + 1) : 0, left > 2 ? byteAt(text, at + 2) : 0] as const;
    const bits = (bytes[0] << 16) | (bytes[1] << 8) | bytes[2];
    encoded += ALPHABET[bits >> 18]! + ALPHABET[(bits >> 12) & 63]!;
    encoded += (left > 1 ? ALPHABET[(bits >> 6) & 63]! : "=") + (left > 2 ? ALPHABET[bits & 63]! : "=");
  }
  return encoded;
}

function byteAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code > 255) throw new RangeError("btoa: a character is not in Latin1");
  return code;
}

export function atobText(given: unknown): string {
  let text = String(given).replace(/[\t\n\f\r ]/g, "");
  if (text.length % 4 === 0) text = text.replace(/={1,2}$/, "");
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new RangeError("atob: this is not base64");
  let decoded = "";
  let bits = 0;
  let bitBuffer = 0;
  for (const character of text) {
    bits = ((bits << 6) | ALPHABET.indexOf(character)) & 0xffff;
    bitBuffer += 6;
    if (bitBuffer >= 8) {
      bitBuffer -= 8;
      decoded += String.fromCharCode((bits >> bitBuffer) & 255);
    }
  }
  return decoded;
}
