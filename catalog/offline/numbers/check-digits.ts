/** The value of a digit, or of a letter with A as 10. */
export function valueOf(character: string): number {
  return Number.parseInt(character, 36);
}

/** The sum of the characters' values times their weights; characters without a weight do not count. */
export function weighted(text: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + (at < text.length ? weight * valueOf(text[at]!) : 0), 0);
}

/** The check value that completes a sum to a multiple of the modulus. */
export function complement(sum: number, modulus: number): number {
  return (modulus - (sum % modulus)) % modulus;
}

/** Whether the last digit is the given check value. Values above 9 have no digit, so nothing equals them. */
export function endsWith(number: string, check: number): boolean {
  return number.at(-1) === String(check);
}

/** Every second digit from the right is doubled, and 9 is taken off what exceeds 9. */
export function luhn(number: string): boolean {
  return luhnSum(number) % 10 === 0;
}

export function luhnSum(number: string): number {
  return [...number].toReversed().reduce((sum, digit, at) => {
    const value = valueOf(digit) * (at % 2 === 1 ? 2 : 1);
    return sum + (at % 2 === 1 && value > 9 ? value - 9 : value);
  }, 0);
}

export function digitSum(digits: string): number {
  return Array.from(digits).reduce((sum, digit) => sum + Number(digit), 0);
}

/** ISO/IEC 7064, MOD 11,10. */
export function mod11And10(number: string): boolean {
  const state = Array.from(number.slice(0, -1)).reduce((product, digit) => {
    const sum = (product + Number(digit)) % 10;
    return ((sum === 0 ? 10 : sum) * 2) % 11;
  }, 10);
  return endsWith(number, (11 - state) % 10);
}

/** The remainder of a number of any length; letters count as two digits, with A as 10 (ISO/IEC 7064). */
export function remainder(text: string, modulus: number): number {
  return Array.from(text).reduce((rest, character) => {
    const value = valueOf(character);
    return (rest * (value > 9 ? 100 : 10) + value) % modulus;
  }, 0);
}

const VERHOEFF_PERMUTATION = [..."1576283094"].map(Number);

/** The check of Verhoeff in the dihedral group of order ten. */
export function verhoeff(number: string): boolean {
  let check = 0;
  [...number].toReversed().forEach((digit, at) => {
    let value = Number(digit);
    for (let times = 0; times < at % 8; times += 1) value = VERHOEFF_PERMUTATION[value]!;
    check = dihedralProduct(check, value);
  });
  return check === 0;
}

function dihedralProduct(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
  return b < 5 ? 5 + ((a - b + 5) % 5) : (a - b + 5) % 5;
}
