import { count, listed, oneOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List the data functions of the catalog and of your project",
  description: "A function of your project replaces a catalog function with the same id.",
  example: "",
  input: {},
  role: "viewer",
  changes: false,
  needs: ["functions"],

  result: listed("functions", {
    function: text,
    title: text,
    from: oneOf("catalog", "project"),
    timeout_ms: count,
    memory_mb: count,
  }),

  async run(_, { functions }) {
    const listing = await functions();
    return {
      functions: listing.list().map(({ id, title, from, timeoutMs, memoryMb }) => ({
        function: id,
        title,
        from,
        timeout_ms: timeoutMs,
        memory_mb: memoryMb,
      })),
    };
  },
});
