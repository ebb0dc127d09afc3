import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CallError } from "../api/send-request.ts";
import { trackPending } from "../api/pending-requests.ts";
import { Failure } from "./failure.tsx";

const FAILED = new CallError("unreachable", "This part of the console could not be loaded. Load the page again.");

/**
 * A component whose code is loaded when it is first shown. Until then `Blank` takes its place. `loaded` gives it if its
 * code is there already, so that it is drawn at once.
 */
export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  Blank?: FunctionComponent<Props>,
  loaded?: () => FunctionComponent<Props> | undefined,
): FunctionComponent<Props> {
  let Loaded: FunctionComponent<Props> | undefined;
  return function Later(props: Props) {
    Loaded ??= loaded?.();
    const [hasFailed, setFailed] = useState(false);
    const [, setThere] = useState(Loaded !== undefined);
    useEffect(() => {
      if (Loaded !== undefined) return;
      trackPending(load()).then(
        (component) => {
          Loaded = component;
          setThere(true);
        },
        () => setFailed(true),
      );
    }, []);
    if (hasFailed) return <Failure error={FAILED} />;
    if (Loaded !== undefined) return <Loaded {...props} />;
    return Blank === undefined ? null : <Blank {...props} />;
  };
}
