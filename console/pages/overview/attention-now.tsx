import type { LiveEvent } from "../../api/verbs.ts";
import { hrefOf } from "../../address.ts";
import { Command } from "../../parts/copy.tsx";
import { Shape } from "../../parts/outcome.tsx";
import "./attention-now.css";

type Item = LiveEvent["attention"][number];

/** What needs a person: the most urgent in a sentence, and the others if they are asked for. Nothing if nothing does. */
export function AttentionNow({ items }: { readonly items: readonly Item[] }) {
  const [first, ...others] = items;
  return (
    <section class="attention" aria-label="What needs a person">
      <p class="visually-hidden" aria-live="polite">
        {items.length === 0 ? "" : items.length === 1 ? "1 thing needs you" : `${items.length} things need you`}
      </p>
      {first && <AttentionItem item={first} />}
      {others.length > 0 && (
        <details>
          <summary>{others.length === 1 ? "and one more" : `and ${others.length} more`}</summary>
          <ul>
            {others.map((item) => (
              <li key={`${item.what} ${item.command} ${item.says}`}>
                <AttentionItem item={item} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function placeOf({ page, filter }: Item): string {
  const { source, ...others } = filter;
  if (page === "sources" && source !== undefined) return hrefOf(`/sources/${encodeURIComponent(source)}`, others);
  return hrefOf(PATHS[page], filter);
}

const PATHS: Readonly<Record<Item["page"], string>> = {
  overview: "/",
  runs: "/runs",
  sources: "/sources",
  credentials: "/credentials",
  money: "/money",
  audit: "/audit",
};

function AttentionItem({ item }: { readonly item: Item }) {
  const { severity, says, page, command } = item;
  return (
    <div class={`attention-item attention-${severity}`}>
      <Shape of={severity === "critical" ? "failed" : "unknown"} />
      <p>
        <span class="visually-hidden">{severity === "critical" ? "Urgent: " : ""}</span>
        {page === "overview" ? says : <a href={placeOf(item)}>{says}</a>}
      </p>
      {command !== null && <Command>{command}</Command>}
    </div>
  );
}
