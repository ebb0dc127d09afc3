import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { typed } from "../program.ts";
import { Button } from "./button.tsx";
import "./copy.css";

interface CopyProps {
  readonly text: string;
  readonly label?: string;
  /** Distinguishes the button from others for screen readers: what it copies. */
  readonly about?: string;
}

/** A button that copies a text and confirms it. */
export function Copy({ text, label = "Copy", about }: CopyProps) {
  const [message, setMessage] = useState<string>();
  useEffect(() => {
    if (message === undefined) return;
    const timer = setTimeout(() => setMessage(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <>
      <Button
        kind="quiet"
        {...(about !== undefined && { label: `${message ?? label} ${about}` })}
        onClick={() => {
          const copied = copyText(text);
          void copied.then((ok) => setMessage(ok ? "Copied" : "The browser does not allow copying"));
        }}
      >
        {message ?? label}
      </Button>
      <span class="visually-hidden" aria-live="polite">
        {message}
      </span>
    </>
  );
}

/** A command line that does the same as the page. */
export function Command({ children }: { readonly children: string }) {
  const command = typed(children);
  return (
    <div class="command">
      <code>
        {command.split(" ").map((word, at) => (
          <Fragment key={at}>
            {at > 0 && " "}
            <span>{word}</span>
          </Fragment>
        ))}
      </code>
      <Copy text={command} />
    </div>
  );
}

/** Browsers offer a clipboard only behind TLS and on loopback. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
