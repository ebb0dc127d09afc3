import { useEffect, useState } from "preact/hooks";

interface ChoosingProps<Match> {
  /** Of the list: each match has it with its number, as `${id}-0`. */
  readonly id: string;
  readonly matches: readonly Match[];
  /** Whether these are the matches of what is in the field, and not of what was there before. */
  readonly isSettled: boolean;
  readonly take: (match: Match) => void;
  /** Which match is marked before the arrows are used; -1 for none. */
  readonly begin?: number;
}

export interface Choosing {
  /** The match that Enter takes; -1 if there is none. */
  readonly at: number;
  /** Whether the arrows chose it. */
  readonly isChosen: boolean;
  /** The match after this one, or before it, and round again. */
  move(step: 1 | -1): void;
  /** Takes the match that the arrows chose, or else the first: as soon as it is there. */
  enter(): void;
  /** As if nobody had chosen: for when something else is typed. */
  forget(): void;
}

/** Choosing one of some matches with the arrows and Enter, while the focus stays in the field that they are found by. */
export function useChoosing<Match>({ id, matches, isSettled, take, begin = 0 }: ChoosingProps<Match>): Choosing {
  const [chosen, choose] = useState<number>();
  const [isWaiting, wait] = useState(false);
  const at = Math.min(chosen ?? begin, matches.length - 1);
  const marked = chosen ?? (begin > 0 ? begin : undefined);
  const takeOne = (match: Match | undefined) => match !== undefined && take(match);
  useEffect(() => {
    if (!isWaiting || !isSettled) return;
    wait(false);
    takeOne(matches[0]);
  }, [isWaiting, isSettled]);
  useEffect(() => {
    if (marked !== undefined) document.getElementById(`${id}-${marked}`)?.scrollIntoView({ block: "nearest" });
  }, [marked]);
  return {
    at,
    isChosen: chosen !== undefined,
    move: (step) => matches.length > 0 && choose(after(at, step, matches.length)),
    enter: () => (chosen !== undefined || isSettled ? takeOne(matches[at]) : wait(true)),
    forget() {
      choose(undefined);
      wait(false);
    },
  };
}

function after(at: number, step: 1 | -1, count: number): number {
  if (at < 0) return step > 0 ? 0 : count - 1;
  return (at + step + count) % count;
}
