import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { logins } from "../session.ts";
import { CallError } from "./ask.ts";
import { call } from "./call.ts";
import { keep, keptOf } from "./kept.ts";
import type { InputOf, ResultOf, VerbName } from "./verb-types.ts";

export interface Asked<Result> {
  /**
   * While something else is asked, what it was before, so that nothing jumps. If that fails, or nothing is asked, there
   * is none: what was asked before is not an answer to it.
   */
  readonly result: Result | undefined;
  /** Whether the result is of what is asked now, and not of what was asked before. */
  readonly isCurrent: boolean;
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** The result of a verb that changes nothing. With `null` as its input it is not asked. */
export function useVerb<Name extends VerbName>(name: Name, input: InputOf<Name> | null): Asked<ResultOf<Name>> {
  const key = input === null ? null : `${name} ${JSON.stringify(input)}`;
  const [state, setState] = useState<{ key: string | null; result?: ResultOf<Name>; error?: CallError }>({ key: null });
  const [times, setTimes] = useState(0);
  const [isLoading, setLoading] = useState(key !== null);
  const last = useRef(input);
  last.current = input;

  useEffect(() => {
    if (key === null) return setLoading(false);
    const gone = new AbortController();
    setLoading(true);
    call(name, last.current!, { signal: gone.signal })
      .then(
        (result) => {
          keep(key, result);
          if (!gone.signal.aborted) setState({ key, result });
        },
        (thrown: unknown) => {
          if (gone.signal.aborted) return;
          const error = toCallError(thrown);
          setState((before) => (before.key === key ? { ...before, error } : { key, error }));
        },
      )
      .finally(() => !gone.signal.aborted && setLoading(false));
    return () => gone.abort();
  }, [key, name, times]);
  const reload = useCallback(() => setTimes((so) => so + 1), []);
  useAfterLogin(state.error, reload);

  const isFailed = state.key === key && state.error !== undefined;
  const current = (state.key === key ? state.result : undefined) ?? keptOf<ResultOf<Name>>(key);
  const before = useRef<ResultOf<Name>>(undefined);
  if (current !== undefined || isFailed) before.current = current;
  return {
    result: key === null ? undefined : before.current,
    isCurrent: current !== undefined,
    error: state.key === key ? state.error : undefined,
    isLoading,
    reload,
  };
}

/** What could not be asked because the session had ended is asked again when there is one. */
export function useAfterLogin(error: CallError | undefined, again: () => void): void {
  const times = logins.value;
  useEffect(() => {
    if (error?.code === "unauthenticated") again();
  }, [times]);
}

export function toCallError(thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  return new CallError("internal", thrown instanceof Error ? thrown.message : String(thrown));
}
