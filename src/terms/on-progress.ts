/**
 * Told how far work is that may take long: what is counted, how many are done, and of how many if that is known. May be
 * called often.
 */
export type OnProgress = (what: string, done: number, of?: number) => void;
