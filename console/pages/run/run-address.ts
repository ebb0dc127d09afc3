import { address, hrefOf, setQuery } from "../../address.ts";

/** The parameters of a planned run in the address. Inputs are not included, because they are personal data. */
export interface RunAddress {
  readonly workflow: string | undefined;
  readonly context: RunContext | undefined;
  /** Empty for a run of a function. */
  readonly sources: readonly string[];
  readonly functionId: string | undefined;
  /** What the page lets a person choose now. */
  readonly kind: "sources" | "function";
  /** Whether the inputs come from a file. */
  readonly fromFile: boolean;
  /** Whether empty fields get the examples of their sources. */
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
    // `source` comes from links to this page, `sources` from the checkboxes.
    sources: [
      ...new Set(`${query.get("sources") ?? ""},${query.get("source") ?? ""}`.split(",").filter((id) => id !== "")),
    ],
    functionId: functionId === "" ? undefined : functionId,
    kind: functionId === undefined ? "sources" : "function",
    fromFile: query.get("from") === "file" && functionId === undefined,
    withExamples: query.get("with") === "examples",
  };
}

export function chooseWorkflow(workflow: string | null): void {
  // The context is reset, because prod may be meant for one workflow only.
  setQuery({ workflow, context: null });
}

export function chooseContext(context: RunContext): void {
  setQuery({ context: context === "dev" ? null : context });
}

export function chooseSources(sources: readonly string[], { withExamples = false } = {}): void {
  setQuery({ sources: sources.join(","), source: null, function: null, with: withExamples ? "examples" : null });
}

const HASH = "#inputs=";

/** A link to the page that contains the inputs. It is created only on request. */
export function linkWith(texts: Readonly<Record<string, string>>): string {
  const { path, query } = address();
  const here = new URL(hrefOf(path, Object.fromEntries(query)), window.location.href);
  return `${here.href}${HASH}${encodeURIComponent(JSON.stringify(texts))}`;
}

/**
 * The inputs from such a link. They are removed from the address, so that neither a reload nor a copy of the address
 * contains them. The part after `#` is never sent to a server.
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
