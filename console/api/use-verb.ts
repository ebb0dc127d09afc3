import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { logins } from "../session.ts";
import { CallError } from "./send-request.ts";
import { callVerb } from "./call-verb.ts";
import { cacheResult, cachedResult } from "./result-cache.ts";
import type { InputOf, ResultOf, VerbName } from "./verb-types.ts";

export interface VerbState<Result> {
  /**
   * The result. While another input is loading, the previous result, so that the layout does not jump. `undefined` if
   * the request failed or the input is `null`: the previous result would not answer it.
   */
  readonly result: Result | undefined;
  /** False while the result still belongs to the previous input. */
  readonly isCurrent: boolean;
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** The result of a verb that changes nothing. With `null` as input nothing is requested. */
export function useVerb<Name extends VerbName>(name: Name, input: InputOf<Name> | null): VerbState<ResultOf<Name>> {
  const key = input === null ? null : `${name} ${JSON.stringify(input)}`;
  const [state, setState] = useState<{ key: string | null; result?: ResultOf<Name>; error?: CallError }>({ key: null });
  const [times, setTimes] = useState(0);
  const [isLoading, setLoading] = useState(key !== null);
  const last = useRef(input);
  last.current = input;

  useEffect(() => {
    if (key === null) return setLoading(false);
    const controller = new AbortController();
    setLoading(true);
    callVerb(name, last.current!, { signal: controller.signal })
      .then(
        (result) => {
          cacheResult(key, result);
          if (!controller.signal.aborted) setState({ key, result });
        },
        (thrown: unknown) => {
          if (controller.signal.aborted) return;
          const error = toCallError(thrown);
          setState((before) => (before.key === key ? { ...before, error } : { key, error }));
        },
      )
      .finally(() => !controller.signal.aborted && setLoading(false));
    return () => controller.abort();
  }, [key, name, times]);
  const reload = useCallback(() => setTimes((so) => so + 1), []);
  useAfterLogin(state.error, reload);

  const isFailed = state.key === key && state.error !== undefined;
  const current = (state.key === key ? state.result : undefined) ?? cachedResult<ResultOf<Name>>(key);
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

/** Repeats a request that failed because the session had ended, after the next login. */
export function useAfterLogin(error: CallError | undefined, retry: () => void): void {
  const times = logins.value;
  useEffect(() => {
    if (error?.code === "unauthenticated") retry();
  }, [times]);
}

export function toCallError(thrown: unknown): CallError {
  if (thrown instanceof CallError) return thrown;
  return new CallError("internal", thrown instanceof Error ? thrown.message : String(thrown));
}
