// AssemblyScript: `npm run wasm` builds json-object-check.wasm.ts from this file. json-object-check.ts is its
// interface.

/**
 * Returned by each `skip…` function instead of an end position if the expected syntax is missing. Never a position in
 * the document, because this address holds the stack of open containers.
 */
const NO: usize = 0;

/** Each open container has a `u32` from address 0 on: the number of its keys so far, or this value for a list. */
const LIST: u32 = 0xffffffff;
export const LEVELS_MAX: i32 = 1024;

/** The address of the document. */
export const TEXT: usize = 4096;
export const BYTES_MAX: i32 = 256 * 1024;
/**
 * The number of bytes examined together. The document is followed by this many zeros, because the last load may reach
 * behind it.
 */
const VECTOR_BYTES: usize = 16;

/** A double keeps every number with fewer bytes. */
const LONG_BYTES: usize = 16;
/** A number with no more bytes, and no more digits in its exponent, is finite: the largest double has 309 digits. */
const FINITE_BYTES: usize = 200;
const EXPONENT_DIGITS: usize = 2;

const QUOTE: u8 = 0x22;
const PLUS: u8 = 0x2b;
const COMMA: u8 = 0x2c;
const MINUS: u8 = 0x2d;
const DOT: u8 = 0x2e;
const SLASH: u8 = 0x2f;
const ZERO: u8 = 0x30;
const COLON: u8 = 0x3a;
const OPEN_LIST: u8 = 0x5b;
const BACKSLASH: u8 = 0x5c;
const CLOSE_LIST: u8 = 0x5d;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;

let longNumbers: i32 = 0;

/**
 * Checks `length` bytes at `TEXT`, which must be valid UTF-8. Returns the number of long numbers, which a double may
 * change, if the bytes are one JSON object within the limits; -1 if they are not, or if that is not certain.
 * `valuesMax` limits commas and containers.
 */
export function check(length: i32, depthMax: i32, keysMax: u32, valuesMax: i32): i32 {
  const end = TEXT + <usize>length;
  v128.store(end, i64x2.splat(0));
  longNumbers = 0;
  let valuesLeft = valuesMax;
  let depth: i32 = 0;
  let at = skipBlanks(TEXT);
  if (byteAt(at) != OPEN_OBJECT) return -1;
  while (true) {
    // A value begins here.
    const first = byteAt(at);
    if (first == OPEN_OBJECT || first == OPEN_LIST) {
      if (depth == depthMax || --valuesLeft < 0) return -1;
      const isObject = first == OPEN_OBJECT;
      at = skipBlanks(at + 1);
      if (byteAt(at) != (isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
        depth += 1;
        setKeys(depth, isObject ? 1 : LIST);
        if (!isObject) continue;
        at = skipName(at);
        if (at == NO || keysMax == 0) return -1;
        continue;
      }
      at += 1;
    } else {
      at = first == QUOTE ? skipText(at + 1) : skipWord(at, first);
      if (at == NO) return -1;
    }
    // The value ends here, and perhaps containers around it.
    while (true) {
      at = skipBlanks(at);
      if (depth == 0) return at == end ? longNumbers : -1;
      const keys = keysOf(depth);
      const byte = byteAt(at);
      if (byte != COMMA) {
        if (byte != (keys == LIST ? CLOSE_LIST : CLOSE_OBJECT)) return -1;
        at += 1;
        depth -= 1;
        continue;
      }
      if (--valuesLeft < 0) return -1;
      at = skipBlanks(at + 1);
      if (keys == LIST) break;
      if (keys >= keysMax) return -1;
      setKeys(depth, keys + 1);
      at = skipName(at);
      if (at == NO) return -1;
      break;
    }
  }
}

/** Skips a member's name, its colon, and blanks after both. */
function skipName(from: usize): usize {
  if (byteAt(from) != QUOTE) return NO;
  let at = skipText(from + 1);
  if (at == NO) return NO;
  at = skipBlanks(at);
  return byteAt(at) == COLON ? skipBlanks(at + 1) : NO;
}

function skipBlanks(from: usize): usize {
  let at = from;
  while (isBlank(byteAt(at))) at += 1;
  return at;
}

/** Skips a string from after its opening quote. The zeros behind the document end an unterminated string. */
function skipText(from: usize): usize {
  let at = from;
  while (true) {
    const bytes = v128.load(at);
    const quotes = i8x16.eq(bytes, i8x16.splat(QUOTE));
    const backslashes = i8x16.eq(bytes, i8x16.splat(BACKSLASH));
    const controls = i8x16.lt_u(bytes, i8x16.splat(0x20));
    const telling = i8x16.bitmask(v128.or(v128.or(quotes, backslashes), controls));
    if (telling == 0) {
      at += VECTOR_BYTES;
      continue;
    }
    at += <usize>ctz(telling);
    const byte = byteAt(at);
    if (byte == QUOTE) return at + 1;
    if (byte != BACKSLASH) return NO;
    at = skipEscape(at + 1);
    if (at == NO) return NO;
  }
}

/** Skips an escape from after its backslash. */
function skipEscape(at: usize): usize {
  switch (byteAt(at)) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 1;
    case 0x75: // u
      for (let digit: usize = 1; digit <= 4; digit += 1) if (!isHexDigit(byteAt(at + digit))) return NO;
      return at + 5;
    default:
      return NO;
  }
}

/** Skips `true`, `false` or `null`, compared four bytes at a time, or a number. */
function skipWord(at: usize, first: u8): usize {
  if (first == 0x74) return load<u32>(at) == 0x65757274 ? at + 4 : NO;
  if (first == 0x66) return load<u32>(at + 1) == 0x65736c61 ? at + 5 : NO;
  if (first == 0x6e) return load<u32>(at) == 0x6c6c756e ? at + 4 : NO;
  return skipNumber(at);
}

function skipNumber(from: usize): usize {
  let at = byteAt(from) == MINUS ? from + 1 : from;
  at = byteAt(at) == ZERO ? at + 1 : skipDigits(at);
  if (at == NO) return NO;
  if (byteAt(at) == DOT) {
    at = skipDigits(at + 1);
    if (at == NO) return NO;
  }
  if ((byteAt(at) | 0x20) == 0x65) {
    const sign = byteAt(at + 1);
    const exponent = sign == PLUS || sign == MINUS ? at + 2 : at + 1;
    at = skipDigits(exponent);
    if (at == NO || at - exponent > EXPONENT_DIGITS) return NO;
  }
  if (at - from >= LONG_BYTES) longNumbers += 1;
  return at - from <= FINITE_BYTES ? at : NO;
}

/** Skips one or more digits. */
function skipDigits(from: usize): usize {
  let at = from;
  while (isDigit(byteAt(at))) at += 1;
  return at == from ? NO : at;
}

function byteAt(at: usize): u8 {
  return load<u8>(at);
}

function isBlank(byte: u8): bool {
  return byte <= 0x20 && (byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09);
}

function isDigit(byte: u8): bool {
  return <u8>(byte - ZERO) <= 9;
}

function isHexDigit(byte: u8): bool {
  return isDigit(byte) || <u8>((byte | 0x20) - 0x61) <= 5;
}

/** For the innermost container. */
function keysOf(depth: i32): u32 {
  return load<u32>((<usize>depth - 1) << 2);
}

function setKeys(depth: i32, keys: u32): void {
  store<u32>((<usize>depth - 1) << 2, keys);
}
