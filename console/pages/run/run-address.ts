import { address, hrefOf, setQuery } from "../../address.ts";

/** What the address says of a run that is to be made. Inputs are not part of it: they are personal data. */
export interface RunAddress {
  readonly workflow: string | undefined;
  readonly context: RunContext | undefined;
  /** Empty if a function is to be run. */
  readonly sources: readonly string[];
  readonly functionId: string | undefined;
  /** Which of the two is being chosen. */
  readonly kind: "sources" | "function";
  /** Whether fields without a text get the examples of their sources. */
  readonly withExamples: boolean;
}

export const CONTEXTS = ["dev", "test", "prod"] as const;
export type RunContext = (typeof CONTEXTS)[number];

export function readRunAddress(): RunAddress {
  const { query } = address();
  const functionId = query.get("function") ?? undefined;
  return {
    workflow: query.get("workflow") || undefined,
    context: CONTEXTS.find((one) => one === query.get("context")),
    // A link to this page may name one, and a person ticks several.
    sources: [
      ...new Set(`${query.get("sources") ?? ""},${query.get("source") ?? ""}`.split(",").filter((id) => id !== "")),
    ],
    functionId: functionId === "" ? undefined : functionId,
    kind: functionId === undefined ? "sources" : "function",
    withExamples: query.get("with") === "examples",
  };
}

export function chooseWorkflow(workflow: string | null): void {
  // What is meant for one workflow, such as its context prod, is not carried over to another.
  setQuery({ workflow, context: null });
}

export function chooseContext(context: RunContext): void {
  setQuery({ context: context === "dev" ? null : context });
}

export function chooseSources(sources: readonly string[], { withExamples = false } = {}): void {
  setQuery({ sources: sources.join(","), source: null, function: null, with: withExamples ? "examples" : null });
}

const HASH = "#inputs=";

/** A link to the page as it is, with what is in the fields: only for whoever asks for it. */
export function linkWith(texts: Readonly<Record<string, string>>): string {
  const { path, query } = address();
  const here = new URL(hrefOf(path, Object.fromEntries(query)), window.location.href);
  return `${here.href}${HASH}${encodeURIComponent(JSON.stringify(texts))}`;
}

/**
 * The inputs of such a link, which are taken out of the address at once, so that neither a reload nor the next copy of
 * the address has them. What follows `#` is never sent to a server.
 */
export function takeInputsOfLink(): Readonly<Record<string, string>> | null {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith(HASH)) return null;
  window.history.replaceState(window.history.state, "", `${pathname}${search}`);
  try {
    const value = JSON.parse(decodeURIComponent(hash.slice(HASH.length))) as unknown;
    if (typeof value !== "object" || value === null) return null;
    return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === "string")) as Record<
      string,
      string
    >;
  } catch {
    return null;
  }
}
