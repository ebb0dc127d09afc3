import { useRef } from "preact/hooks";
import type { CallError } from "../api/send-request.ts";
import { Button } from "./button.tsx";
import { Shape } from "./outcome.tsx";
import { useFocusBeyond } from "./use-focus-beyond.ts";
import "./failure.css";

/** Shows an error where the content or the action would be. */
export function Failure({ error, retry }: { readonly error: CallError; readonly retry?: () => void }) {
  const element = useRef<HTMLDivElement>(null);
  useFocusBeyond(element);
  // The message of a refused input already contains the details of its fields.
  const details = error.details.filter((detail) => !error.message.includes(detail.replace(": ", " ")));
  return (
    <div ref={element} class="failure" role="alert">
      <Shape of="failed" />
      <div>
        <p>{error.message}</p>
        {details.length > 0 && (
          <ul>
            {details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        )}
      </div>
      {retry && (
        <Button kind="quiet" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}
