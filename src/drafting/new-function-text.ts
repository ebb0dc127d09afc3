import { PREFIX } from "../terms/ids.ts";

/** The file that `datarun function new` writes: a working function whose cases pass. */
export function newFunctionText(id: string): string {
  const title = id.slice(PREFIX.dataFunction.length).replaceAll("_", " ");
  return `import { defineFunction, Type } from "datarun";

/** Say here what it answers, from which sources, and what it cannot know. */
export default defineFunction({
  id: "${id}",
  title: "${title[0]!.toUpperCase()}${title.slice(1)}",
  inputs: Type.Object({ phone: Type.String({ minLength: 1 }) }),
  output: Type.Object({
    checked: Type.Boolean(),
    country: Type.Union([Type.String(), Type.Null()]),
  }),
  timeout_ms: 10_000,

  async run({ inputs, run, pipe }) {
    // run() never throws because of a vendor: if a source fails, success is false.
    const phone = await pipe("phone", () => run("google__phone_number", { phone: inputs.phone }));
    return { output: { checked: phone.success, country: phone.match ? phone.output.country : null } };
  },

  cases: [
    {
      name: "a number with its country",
      inputs: { phone: "+44 20 7946 0958" },
      expect: { output: { checked: true, country: "GB" }, called: ["google__phone_number"] },
    },
    {
      name: "a source that fails leaves the number unchecked",
      inputs: { phone: "+44 20 7946 0958" },
      sources: { google__phone_number: { failure: "timeout" } },
      expect: { output: { checked: false, country: null }, pipes: { phone: { success: false } } },
    },
  ],
});
`;
}
