import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { useFocusBeyond } from "./use-focus-beyond.ts";
import "./shown-once.css";

interface ShownOnceProps {
  /** What it is, such as "The token of ada". */
  readonly title: string;
  readonly secret: string;
  /** What to do with it. */
  readonly children?: ComponentChildren;
  readonly onDone: () => void;
}

/** A secret that was just made. It is in this page alone, and gone with it. */
export function ShownOnce({ title, secret, children, onDone }: ShownOnceProps) {
  const place = useRef<HTMLDivElement>(null);
  useFocusBeyond(place);
  useLayoutEffect(() => {
    place.current?.focus();
    place.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={place} class="shown-once" role="group" aria-label={title} tabIndex={-1}>
      <p>
        <strong>{title}</strong>
      </p>
      <code>{secret}</code>
      <p>It is shown only now, and nobody can show it again: the service keeps nothing but its digest. {children}</p>
      <div class="beside">
        <Copy text={secret} label="Copy the token" />
        <Button onClick={onDone}>I have kept it</Button>
      </div>
    </div>
  );
}
