/** How a call of a run ended. Its output comes with the answer of the run. */
export interface EndedCall {
  readonly source: string;
  readonly success: boolean;
  readonly match: boolean;
  readonly tookMs: number;
}

export type TellEndedCall = (call: EndedCall) => void;
