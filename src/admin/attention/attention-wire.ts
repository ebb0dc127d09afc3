import { Type } from "../../terms/schema/type.ts";
import { listOf, oneOf, orNull, text } from "../result-schemas.ts";
import { ATTENTION, ATTENTION_PAGES, type Attention } from "./find-attention.ts";

export const wireAttention = listOf(
  Type.Object({
    what: oneOf(...Object.keys(ATTENTION)),
    severity: oneOf("critical", "warning"),
    says: { ...text, description: "A sentence for people, which may change" },
    page: { ...oneOf(...ATTENTION_PAGES), description: "The page of the console that shows it" },
    filter: Type.Record(Type.String(), text, { description: "What selects it on that page" }),
    command: { ...orNull(text), description: "A command that shows it" },
  }),
);

export function toWireAttention(found: readonly Attention[]) {
  return found.map(({ filter, ...one }) => ({ ...one, filter: { ...filter } }));
}
