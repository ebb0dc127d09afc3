import { hrefOf } from "../address.ts";
import { ShortId } from "./short-id.tsx";
import { Id } from "./values.tsx";
import "./object-link.css";

/** The kinds of objects that can be found and linked to. */
export type ObjectKind =
  | "run"
  | "organization"
  | "workflow"
  | "token"
  | "credential"
  | "budget"
  | "operator"
  | "source"
  | "function";

/**
 * The address of the page that shows an object. Tokens, workflows and credentials are shown with their organization.
 */
export function hrefOfObject(kind: ObjectKind, id: string, org: string | null = null): string {
  switch (kind) {
    case "run":
      return hrefOf(`/runs/${encodeURIComponent(id)}`);
    case "source":
      return hrefOf(`/sources/${encodeURIComponent(id)}`);
    case "function":
      return hrefOf(`/functions/${encodeURIComponent(id)}`);
    case "credential":
      return hrefOf("/credentials", { org, credential: id });
    case "budget":
      return hrefOf("/money/budgets", { org, budget: id });
    case "organization":
      return hrefOf("/access", { org: id });
    case "workflow":
      return hrefOf("/access", { org, workflow: id });
    case "token":
      return hrefOf("/access", { org, token: id });
    case "operator":
      return hrefOf("/access", { tab: "operators", operator: id });
  }
}

const PREFIXES: readonly (readonly [prefix: string, kind: ObjectKind])[] = [
  ["trx_", "run"],
  ["org_", "organization"],
  ["wfl_", "workflow"],
  ["tok_", "token"],
  ["cred_", "credential"],
  ["bud_", "budget"],
  ["opr_", "operator"],
  ["dfunc_", "function"],
];
export const SOURCE_ID = /^[a-z][a-z0-9_]*__[a-z0-9_]+$/;

/** The kind of object that an id belongs to; `null` for other texts and for objects without a page. */
export function kindOfId(id: string): ObjectKind | null {
  return PREFIXES.find(([prefix]) => id.startsWith(prefix))?.[1] ?? (SOURCE_ID.test(id) ? "source" : null);
}

interface ObjectLinkProps {
  readonly id: string;
  /** The organization of the object, if it has one. */
  readonly org?: string | null;
  readonly name?: string | null | undefined;
  /** Shows the end of the id below the name. */
  readonly withId?: boolean;
  /** Shows the whole id if there is no name. */
  readonly isWhole?: boolean;
}

/**
 * The name of an object, linked to its page. An object without a name is shown by the end of its id, and without a
 * page there is no link.
 */
export function ObjectLink({ id, org = null, name, withId = false, isWhole = false }: ObjectLinkProps) {
  const kind = kindOfId(id);
  if (kind === null) return <Id>{id}</Id>;
  const href = hrefOfObject(kind, id, org);
  if (!name || name === id) return isWhole ? <Id href={href}>{id}</Id> : <ShortId id={id} href={href} />;
  return (
    <div class="object-link">
      <a href={href} title={`${name} (${id})`}>
        <bdi>{name}</bdi>
      </a>
      {withId && (
        <span class="dim">
          <ShortId id={id} />
        </span>
      )}
    </div>
  );
}
