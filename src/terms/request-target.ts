/**
 * How long the path and query of a request to a vendor may be, as they are sent. Servers take 8 to 16 KiB as they come, some
 * can be set to more; no vendor reads this much there.
 */
export const TARGET_CHARACTERS_MAX = 64 * 1024;
