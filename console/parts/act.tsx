import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallError } from "../api/send-request.ts";
import { callVerb } from "../api/call-verb.ts";
import { toCallError } from "../api/use-verb.ts";
import type { InputOf, ResultOf, VerbName } from "../api/verb-types.ts";
import { logins, mayUse } from "../session.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";

interface Acting<Name extends VerbName> {
  readonly isBusy: boolean;
  readonly error: CallError | undefined;
  /** The remarks of the service on the last result. */
  notes(): readonly string[];
  /** Resolves with `undefined` on failure; `error` has the reason. */
  run(input: InputOf<Name>): Promise<ResultOf<Name> | undefined>;
}

/** State of a verb that a person runs from the page. */
export function useAct<Name extends VerbName>(name: Name): Acting<Name> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  const notes = useRef<readonly string[]>([]);
  // After a new login the message that nobody is logged in is out of date.
  useEffect(() => setError((last) => (last?.code === "unauthenticated" ? undefined : last)), [logins.value]);
  return {
    isBusy,
    error,
    notes: () => notes.current,
    async run(input) {
      setBusy(true);
      setError(undefined);
      try {
        notes.current = [];
        return await callVerb(name, input, { note: (sentence) => (notes.current = [...notes.current, sentence]) });
      } catch (thrown) {
        setError(toCallError(thrown));
        return undefined;
      } finally {
        setBusy(false);
      }
    },
  };
}

interface ActProps<Name extends VerbName> {
  readonly verb: Name;
  readonly input: InputOf<Name>;
  /** On the button: a verb, such as "Revoke". */
  readonly label: string;
  readonly isDangerous?: boolean;
  /** Asks for confirmation: what the action does, and to what. Without it the action runs at once. */
  readonly asks?: { readonly title: ComponentChildren; readonly says: ComponentChildren };
  /** Clears an earlier result, which would otherwise stand beside a new failure. */
  readonly onBegin?: () => void;
  readonly onDone: (result: ResultOf<Name>) => void;
}

/** A button that runs a verb. It is hidden if the session's role may not use the verb. */
export function Act<Name extends VerbName>(props: ActProps<Name>) {
  const { verb, input, label, isDangerous = false, asks, onBegin, onDone } = props;
  const [isAsking, setAsking] = useState(false);
  const { isBusy, error, run } = useAct(verb);
  if (!mayUse(verb)) return null;

  async function begin(): Promise<void> {
    onBegin?.();
    const result = await run(input);
    if (result === undefined) return;
    setAsking(false);
    onDone(result);
  }

  const kind = isDangerous ? "danger" : "plain";
  return (
    <>
      <Button kind={kind} isBusy={isBusy} onClick={() => (asks ? setAsking(true) : void begin())}>
        {label}
      </Button>
      {!asks && error && <Failure error={error} />}
      {asks && isAsking && (
        <Dialog title={asks.title} onClose={() => setAsking(false)}>
          <div class="dialog-says">{asks.says}</div>
          {error && <Failure error={error} />}
          <div class="dialog-actions">
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button kind={isDangerous ? "danger" : "primary"} isBusy={isBusy} onClick={() => void begin()}>
              {label}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
