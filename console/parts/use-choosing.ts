import { useEffect, useState } from "preact/hooks";

interface ChoosingProps<Match> {
  /** Id of the list. The element of each match has it with the index of the match, such as `${id}-0`. */
  readonly id: string;
  readonly matches: readonly Match[];
  /** Whether the matches belong to the text in the field now. */
  readonly isSettled: boolean;
  readonly take: (match: Match) => void;
  /** Index of the match that is active before an arrow key is pressed; -1 for none. */
  readonly begin?: number;
}

export interface Choosing {
  /** Index of the match that Enter accepts; -1 for none. */
  readonly at: number;
  /** Whether an arrow key chose it. */
  readonly isChosen: boolean;
  /** Moves to the next or previous match, and wraps around. */
  move(step: 1 | -1): void;
  /** Accepts the match chosen by the arrows, or else the first one. Waits until the matches have arrived. */
  enter(): void;
  /** Resets the choice, for example when the text changes. */
  forget(): void;
}

/** Chooses a match with the arrows and Enter, while the focus stays in the search field. */
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
