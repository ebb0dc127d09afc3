import type { Verbs } from "./verbs.ts";

export type VerbName = keyof Verbs;
export type InputOf<Name extends VerbName> = Verbs[Name]["input"];
export type ResultOf<Name extends VerbName> = Verbs[Name]["result"];

/** The verbs whose result is a paged list. */
export type ListVerb = {
  [Name in VerbName]: "after" extends keyof InputOf<Name>
    ? "next" extends keyof ResultOf<Name>
      ? Name
      : never
    : never;
}[VerbName];

/** A row of the list with this name in a verb's result. */
export type RowOf<
  Name extends VerbName,
  List extends keyof ResultOf<Name>,
> = ResultOf<Name>[List] extends readonly (infer Row)[] ? Row : never;
