/** The longest time for any source or function, whatever it declares. */
export const CALL_MS_MAX = 60_000;
