import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { logins } from "../session.ts";
import { CallError } from "./ask.ts";
import { call } from "./call.ts";
import type { InputOf, ResultOf, VerbName } from "./verb-types.ts";

export interface Asked<Result> {
  /** While it is asked again, what it was before, so that nothing jumps. */
  readonly result: Result | undefined;
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** The last results, so that a page that is come back to is there at once, as long as before. */
const KEPT_MAX = 60;
const kept = new Map<string, unknown>();

function keep(key: string, result: unknown): void {
  kept.delete(key);
  kept.set(key, result);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
}

/** What somebody else was shown is forgotten. */
export function forgetResults(): void {
  kept.clear();
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
          setState({ key, result });
        },
        (error: unknown) => {
          if (gone.signal.aborted) return;
          setState((before) => ({ ...before, key, error: toCallError(error) }));
        },
      )
      .finally(() => !gone.signal.aborted && setLoading(false));
    return () => gone.abort();
  }, [key, name, times]);
  const reload = useCallback(() => setTimes((so) => so + 1), []);
  useAfterLogin(state.error, reload);

  const before = state.key === key ? state.result : undefined;
  return {
    result: before ?? (key === null ? undefined : (kept.get(key) as ResultOf<Name> | undefined)) ?? state.result,
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
