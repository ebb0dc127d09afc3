/**
 * Reports the progress of long work: the counted unit, the number done, and the total if it is known. May be called
 * often.
 */
export type OnProgress = (what: string, done: number, of?: number) => void;
