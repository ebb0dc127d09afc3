import type { TSchema, TString } from "typebox";
import type { JsonObject } from "../terms/json/json.ts";
import type { Act, AdminStore } from "./ports.ts";
import { defineVerb, type Verb } from "./verb.ts";

/** A kind of object that operators disable and enable again. */
interface Disabling<Row> {
  /** The input that identifies it. */
  readonly name: string;
  readonly id: TString;
  readonly example: string;
  readonly disable: Pick<Verb, "summary" | "description">;
  readonly enable: Pick<Verb, "summary" | "description">;
  readonly result: TSchema;
  /** Resolves with `null` if it does not exist. */
  set(store: AdminStore, act: Act, id: string, disabled: boolean): Promise<Row | null>;
  toWire(row: Row, store: AdminStore): JsonObject | Promise<JsonObject>;
  unknown(id: string): Error;
}

/** Makes both verbs. */
export function disableAndEnable<Row>({ name, id: schema, example, disable, enable, ...kind }: Disabling<Row>) {
  const verb = (texts: Pick<Verb, "summary" | "description">, disabled: boolean): Verb =>
    defineVerb({
      ...texts,
      example,
      input: { [name]: schema },
      positional: [name],
      role: "operator",
      changes: true,
      ...(disabled && { revokes: true }),
      needs: ["store"],
      result: kind.result,

      async run(input, { act, store }) {
        const id = input[name]!;
        const open = await store();
        const row = await kind.set(open, act, id, disabled);
        if (row === null) throw kind.unknown(id);
        return kind.toWire(row, open);
      },
    });
  return { disable: verb(disable, true), enable: verb(enable, false) };
}
