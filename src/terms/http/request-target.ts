/**
 * The longest path and query of a request to a vendor, as sent. By default, servers accept 8 to 16 KiB, and some can be
 * configured for more; no vendor accepts this much.
 */
export const TARGET_CHARACTERS_MAX = 64 * 1024;
