import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { InputOf, ResultOf, VerbName } from "../api/verb-types.ts";
import { mayUse } from "../session.ts";
import { useAct } from "./act.tsx";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";

interface FormActProps<Name extends VerbName> {
  readonly verb: Name;
  /** Label of the button that opens the form. */
  readonly label: string;
  /** Label of the button that runs the verb. */
  readonly does: string;
  readonly title: ComponentChildren;
  readonly kind?: "plain" | "primary" | "quiet";
  /** The input from the form; `null` if there is nothing to do. */
  readonly input: () => InputOf<Name> | null;
  /** Sets the initial values of the form. */
  readonly onOpen: () => void;
  readonly onDone: (result: ResultOf<Name>) => void;
  readonly children: ComponentChildren;
}

/**
 * A button that opens a small form for the input of a verb, and runs the verb. It is hidden if the session's role may
 * not use the verb.
 */
export function FormAct<Name extends VerbName>(props: FormActProps<Name>) {
  const { verb, label, does, title, kind = "plain", input, onOpen, onDone, children } = props;
  const [isOpen, setOpen] = useState(false);
  const { isBusy, error, run } = useAct(verb);
  if (!mayUse(verb)) return null;

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const asked = input();
    if (asked === null) return setOpen(false);
    const result = await run(asked);
    if (result === undefined) return;
    setOpen(false);
    onDone(result);
  }

  return (
    <>
      <Button
        kind={kind}
        onClick={() => {
          onOpen();
          setOpen(true);
        }}
      >
        {label}
      </Button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <form class="stack" onSubmit={(event) => void submit(event)}>
            {children}
            {error && <Failure error={error} />}
            <div class="dialog-actions">
              <Button onClick={() => setOpen(false)}>Cancel</Button>
              <Button kind="primary" type="submit" isBusy={isBusy}>
                {does}
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
