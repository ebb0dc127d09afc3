/**
 * Freezes a value through and through, where it is: who is handed it can change it for nobody else. A part that is frozen
 * already is taken to be so all the way down.
 */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freezeDeep<unknown>(part);
  }
  return value;
}
