import "./outcome.css";

/** The outcome of a call, and of anything that succeeds, fails or needs attention. */
export type OutcomeKind = "found" | "no_record" | "failed" | "unknown" | "waiting" | "off";

const SAYS: Readonly<Record<OutcomeKind, string>> = {
  found: "found",
  no_record: "no record",
  failed: "failed",
  unknown: "charge unknown",
  waiting: "in progress",
  off: "off",
};

/** An outcome by shape, colour and word. The word alone is sufficient. */
export function Outcome({ kind, says = SAYS[kind] }: { readonly kind: OutcomeKind; readonly says?: string }) {
  return (
    <span class={`outcome outcome-${kind}`}>
      <Shape of={kind} /> {says}
    </span>
  );
}

/** Whether an organization, workflow or credential is disabled. */
export function ActiveState({ disabled }: { readonly disabled: boolean }) {
  return disabled ? <Outcome kind="off" says="disabled" /> : <Outcome kind="found" says="active" />;
}

/** An outcome as a shape whose meaning is shown on hover and read aloud. */
export function NamedShape({ of, says }: { readonly of: OutcomeKind; readonly says: string }) {
  return (
    <span class="shape-named" role="img" aria-label={says} title={says}>
      <Shape of={of} />
    </span>
  );
}

/** Only the shape, for use beside a text. */
export function Shape({ of }: { readonly of: OutcomeKind }) {
  return (
    <svg class={`shape outcome-${of}`} viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
      {DRAWN[of]}
    </svg>
  );
}

const DRAWN = {
  found: <circle cx="5" cy="5" r="4" fill="currentColor" />,
  no_record: <circle cx="5" cy="5" r="3.4" fill="none" stroke="currentColor" stroke-width="1.4" />,
  failed: <path d="M1.5 1.5l7 7m0-7l-7 7" stroke="currentColor" stroke-width="1.8" />,
  unknown: <path d="M5 .8L9.2 5 5 9.2.8 5z" fill="none" stroke="currentColor" stroke-width="1.4" />,
  waiting: <path d="M5 1a4 4 0 1 1-4 4" fill="none" stroke="currentColor" stroke-width="1.4" />,
  off: <path d="M1.5 5h7" stroke="currentColor" stroke-width="1.8" />,
};
