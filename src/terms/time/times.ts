/** The longest time limit of any source or function, whatever it declares. */
export const CALL_MS_MAX = 60_000;
