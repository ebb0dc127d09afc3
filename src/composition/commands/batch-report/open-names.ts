import type { CompareNames } from "../../../batch/report/agreement.ts";
import { openSources } from "../../../project/open-catalogs.ts";
import type { RunnableSource } from "../../../run/ports.ts";
import { NoMatch, type SourceCall } from "../../../sdk/source.ts";
import { isJsonObject, type Json } from "../../../terms/json/json.ts";

/** The longest name that the sources accept. */
const CHARACTERS_MAX = 200;

/** The sources of the catalog that compare names. They need no vendor, so that they run here. */
export async function openNames(): Promise<CompareNames> {
  const { all } = await openSources(undefined);
  const sourceOf = (id: string): RunnableSource => all.get(id)!.source;
  const sources = {
    company: sourceOf("names__company_comparison"),
    person: sourceOf("names__person_comparison"),
  };
  return (as, name, other) => {
    const inputs = { name: name.slice(0, CHARACTERS_MAX), other_name: other.slice(0, CHARACTERS_MAX) };
    const source = sources[as];
    if (source.inputProblem(inputs) !== null) return null;
    const call = { inputs, noMatch: (output?: object) => new NoMatch(output as never) } as unknown as SourceCall;
    const answer = source.declaration.run(call) as Json | NoMatch;
    return !(answer instanceof NoMatch) && isJsonObject(answer) && typeof answer["score"] === "number"
      ? answer["score"]
      : null;
  };
}
