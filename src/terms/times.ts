/** No source and no function may take longer, whatever it declares. */
export const CALL_MS_MAX = 60_000;
