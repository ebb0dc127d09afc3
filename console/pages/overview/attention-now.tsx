import type { LiveEvent } from "../../api/verbs.ts";
import { hrefOf } from "../../address.ts";
import type { NamedObject, Objects } from "../../api/use-names.ts";
import { Command } from "../../parts/copy.tsx";
import { hrefOfObject } from "../../parts/object-link.tsx";
import { Shape } from "../../parts/outcome.tsx";
import { idsIn, splitByIds } from "./split-by-ids.ts";
import "./attention-now.css";

type Item = LiveEvent["attention"][number];

const SHOWN_MAX = 8;

/** Conditions that need attention, the most urgent first. Many are folded. */
export function AttentionNow({ items, objects }: { readonly items: readonly Item[]; readonly objects: Objects }) {
  const [first, others] = [items.slice(0, SHOWN_MAX), items.slice(SHOWN_MAX)];
  return (
    <section class="attention" aria-label="Needs attention">
      <p class={items.length === 0 ? "attention-none dim" : "visually-hidden"} aria-live="polite">
        {items.length === 0
          ? "Nothing needs attention."
          : items.length === 1
            ? "1 item needs attention"
            : `${items.length} items need attention`}
      </p>
      <AttentionList items={first} objects={objects} />
      {others.length > 0 && (
        <details>
          <summary>{others.length === 1 ? "and one more" : `and ${others.length} more`}</summary>
          <AttentionList items={others} objects={objects} />
        </details>
      )}
    </section>
  );
}

function AttentionList({ items, objects }: { readonly items: readonly Item[]; readonly objects: Objects }) {
  if (items.length === 0) return null;
  return (
    <ul>
      {items.map((item) => (
        <li key={`${item.what} ${item.command} ${item.says}`}>
          <AttentionItem item={item} objects={objects} />
        </li>
      ))}
    </ul>
  );
}

/** The ids in the sentences and links, whose names are needed. */
export function idsOfAttention(items: readonly Item[]): readonly string[] {
  return items.flatMap(({ says, filter }) => [...idsIn(says), ...Object.values(filter)]);
}

/** The most specific page for the subject of a sentence. */
function hrefOfItem({ page, filter }: Item, objects: Objects): string {
  const { source, budget, cred_id: credential, ...others } = filter;
  if (page === "sources" && source !== undefined) return hrefOf(`/sources/${encodeURIComponent(source)}`, others);
  const orgOf = (id: string) => objects.get(id)?.organization_tuid ?? null;
  if (budget !== undefined) return hrefOfObject("budget", budget, orgOf(budget));
  if (credential !== undefined) return hrefOfObject("credential", credential, orgOf(credential));
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

/** Text of the link after the sentence. */
const LEADS: Readonly<Record<Item["page"], string>> = {
  overview: "",
  runs: "Show the runs",
  sources: "Show the source",
  credentials: "Show the credential",
  money: "Show the budget",
  audit: "Show the audit trail",
};

function AttentionItem({ item, objects }: { readonly item: Item; readonly objects: Objects }) {
  const { severity, says, page, command } = item;
  const sentence = <Sentence of={says} objects={objects} />;
  return (
    <div class={`attention-item attention-${severity}`}>
      <Shape of={severity === "critical" ? "failed" : "unknown"} />
      <p>
        <span class="visually-hidden">{severity === "critical" ? "Urgent: " : ""}</span>
        {page === "overview" ? (
          sentence
        ) : (
          <a href={hrefOfItem(item, objects)}>
            {sentence} <span class="attention-go">{LEADS[page]}</span>
          </a>
        )}
      </p>
      {command !== null && <Command>{command}</Command>}
    </div>
  );
}

/** Replaces ids in a sentence of the service by names. */
function Sentence({ of, objects }: { readonly of: string; readonly objects: Objects }) {
  return (
    <>
      {splitByIds(of).map((part, at) => {
        const found = objects.get(part);
        const isNamed =
          found !== undefined && found.name !== null && (NAMED.has(found.kind) || isNamedCredential(found, of));
        return isNamed ? (
          <bdi key={at} title={part}>
            {found.name}
          </bdi>
        ) : (
          part
        );
      })}
    </>
  );
}

/** A credential without a name is named by its source, which the sentence contains. */
function isNamedCredential({ kind, name }: NamedObject, sentence: string): boolean {
  return kind === "credential" && name !== null && !sentence.includes(name);
}

/**
 * Kinds with a name of their own. The name of a credential or budget would repeat the source, which the sentence
 * contains.
 */
const NAMED: ReadonlySet<string> = new Set(["organization", "workflow", "operator"]);
