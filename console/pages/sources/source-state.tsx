import { Outcome } from "../../parts/outcome.tsx";

interface Shown {
  readonly on: boolean;
  readonly leaves_machine: boolean;
}

/** Whether runs may call a source, and whether it has a vendor. */
export function SourceState({ of: { on, leaves_machine: leaves } }: { readonly of: Shown }) {
  if (!on) return <Outcome kind="off" />;
  return <Outcome kind="found" says={leaves ? "on" : "on this machine"} />;
}
