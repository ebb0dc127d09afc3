const WORDS = 16;
const BLOCKS = 8;
const KEY_WORDS = 8;
const POOL_BYTES = BLOCKS * WORDS * 4;
const HEX = "0123456789abcdef";
/** "expand 32-byte k" */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
export const Bytes = Uint8Array;

/**
 * Unlimited random bytes for one context, from a hexadecimal seed of 32 bytes of the operating system: ChaCha20 (RFC
 * 8439). The key is replaced by the generator's own first output each time, and returned output is wiped, so the state
 * does not reveal earlier output.
 */
export function createRandom(seed: string): (target: Uint8Array) => void {
  const key = new Uint32Array(KEY_WORDS);
  for (let at = 0; at < KEY_WORDS; at += 1)
    for (let digit = 0; digit < 8; digit += 1) key[at] = (key[at]! << 4) | HEX.indexOf(seed[at * 8 + digit]!);
  const state = new Uint32Array(WORDS);
  const words = new Uint32Array(BLOCKS * WORDS);
  const pool = new Bytes(words.buffer);
  let next = POOL_BYTES;

  function refill(): void {
    for (let block = 0; block < BLOCKS; block += 1) writeBlock(block);
    for (let at = 0; at < KEY_WORDS; at += 1) {
      key[at] = words[at]!;
      words[at] = 0;
    }
    next = KEY_WORDS * 4;
  }

  function writeBlock(block: number): void {
    for (let at = 0; at < WORDS; at += 1)
      state[at] = at < 4 ? CONSTANTS[at]! : at < 12 ? key[at - 4]! : at === 12 ? block : 0;
    for (let round = 0; round < 10; round += 1) {
      mix(state, 0, 4, 8, 12);
      mix(state, 1, 5, 9, 13);
      mix(state, 2, 6, 10, 14);
      mix(state, 3, 7, 11, 15);
      mix(state, 0, 5, 10, 15);
      mix(state, 1, 6, 11, 12);
      mix(state, 2, 7, 8, 13);
      mix(state, 3, 4, 9, 14);
    }
    for (let at = 0; at < WORDS; at += 1) {
      const first = at < 4 ? CONSTANTS[at]! : at < 12 ? key[at - 4]! : at === 12 ? block : 0;
      words[block * WORDS + at] = state[at]! + first;
    }
  }

  return (target) => {
    const { length } = target;
    for (let at = 0; at < length; at += 1) {
      if (next === POOL_BYTES) refill();
      target[at] = pool[next]!;
      pool[next] = 0;
      next += 1;
    }
  };
}

/** A random UUID (RFC 9562, version 4). */
export function uuidOf(fill: (target: Uint8Array) => void): string {
  const bytes = new Bytes(16);
  fill(bytes);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  let text = "";
  for (let at = 0; at < 16; at += 1) {
    if (at === 4 || at === 6 || at === 8 || at === 10) text += "-";
    text += HEX[bytes[at]! >> 4]! + HEX[bytes[at]! & 15]!;
  }
  return text;
}

/** The quarter round of ChaCha20. */
function mix(state: Uint32Array, a: number, b: number, c: number, d: number): void {
  state[a]! += state[b]!;
  state[d] = turned(state[d]! ^ state[a]!, 16);
  state[c]! += state[d]!;
  state[b] = turned(state[b]! ^ state[c]!, 12);
  state[a]! += state[b]!;
  state[d] = turned(state[d]! ^ state[a]!, 8);
  state[c]! += state[d]!;
  state[b] = turned(state[b]! ^ state[c]!, 7);
}

function turned(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
