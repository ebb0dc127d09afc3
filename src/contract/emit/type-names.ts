/** A type's name for an id: `GleifLeiRecordInputs` for `gleif__lei_record` and `Inputs`. */
export function typeNameOf(id: string, suffix = ""): string {
  const words = id.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).filter(Boolean);
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("") + suffix;
  return /^[A-Za-z]/.test(name) ? name : `T${name}`;
}

/** Chooses a name that is not used yet, and marks it as used. */
export type ClaimName = (name: string) => string;

/** @param reserved names that mean something else in the language */
export function createNames(reserved: readonly string[]): ClaimName {
  const used = new Set(reserved);
  return (name) => {
    let claimed = name;
    for (let number = 2; used.has(claimed); number += 1) claimed = `${name}${number}`;
    used.add(claimed);
    return claimed;
  };
}

/** Whether a property can be written without quotes. */
export function isTypeScriptName(name: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
}

/** Whether a field of a Python class can have this name: an identifier, no keyword, and not mangled in a class. */
export function isPythonName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !name.startsWith("__") && !PYTHON_KEYWORDS.has(name);
}

const PYTHON_KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
