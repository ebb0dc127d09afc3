/**
 * Freezes a value deeply and in place, so that it can be shared. An already frozen part is assumed to be deeply frozen.
 */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freezeDeep<unknown>(part);
  }
  return value;
}
