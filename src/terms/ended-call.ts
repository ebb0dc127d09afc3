/** How a call of a run ended. Its output is part of the run's answer. */
export interface EndedCall {
  readonly source: string;
  readonly success: boolean;
  readonly match: boolean;
  readonly tookMs: number;
}

export type OnEndedCall = (call: EndedCall) => void;
