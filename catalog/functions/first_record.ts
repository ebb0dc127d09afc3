import { defineFunction, Type } from "datarun";

const ATTEMPTS_MAX = 20;

const description = `
A waterfall: asks one source after the other and stops at the first that has a record. The rest is not called, so a vendor
that bills per call is paid only when the cheaper ones before it found nothing.

**What is asked, in which order**
- \`attempts\`, a top-level field of the request beside \`inputs\`: a list of \`{"source": …, "inputs": {…}}\`. The inputs of an
  attempt go over those of the request, so that one source can be tried with several kinds of number.
- Without it, the sources of \`config.sources\`, in the order in which the request names them. Their credentials apply.

A source that **fails** has said nothing about the record, so the next one is asked; \`"on_failure": "stop"\` beside \`inputs\`
ends the search there instead, for those who would rather ask again than pay a second vendor. Failures are not repeated.

\`asked\` lists every call with its result, \`not_asked\` what was not called, and \`stopped_because\` is \`record_found\`, \`all_asked\`,
\`source_failed\` (only with \`on_failure: stop\`) or \`nothing_to_ask\`. **No record** is told apart from **could not be checked**:
when every source failed, \`conclusive\` is false.
`.trim();

export default defineFunction({
  id: "dfunc_first_record",
  title: "The first source that has a record",
  description,
  output: Type.Object(
    {
      found: Type.Boolean(),
      conclusive: Type.Boolean({ description: "False when nothing was found and a source could not be asked." }),
      source: Type.Union([Type.String(), Type.Null()], { description: "Whose record it is." }),
      record: Type.Union([Type.Object({}), Type.Null()], { description: "The source's output, unchanged." }),
      stopped_because: Type.Enum(["record_found", "all_asked", "source_failed", "nothing_to_ask"]),
      asked: Type.Array(
        Type.Object(
          {
            source: Type.String(),
            result: Type.Enum(["record", "no_record", "failed"]),
            message: Type.String({ description: "For people. May change." }),
            failure: Type.Optional(
              Type.Object(
                {},
                {
                  description: "Why it failed, as in `status` of `/data`: with the number of an order that was placed.",
                },
              ),
            ),
          },
          { additionalProperties: false },
        ),
      ),
      not_asked: Type.Array(Type.String()),
    },
    { additionalProperties: false },
  ),

  async run({ inputs, extra, config, run }) {
    const attempts = readAttempts(extra["attempts"], config["sources"]);
    if (typeof attempts === "string") return { success: false, message: attempts, output: nothingAsked([]) };
    const onFailure = extra["on_failure"] ?? "continue";
    if (onFailure !== "continue" && onFailure !== "stop") {
      return {
        success: false,
        message: 'on_failure must be "continue" or "stop"',
        output: nothingAsked(attempts.map(({ source }) => source)),
      };
    }

    const asked: { source: string; result: "record" | "no_record" | "failed"; message: string; failure?: object }[] =
      [];
    const ended = (reason: string, source: string | null, record: unknown) => ({
      output: {
        found: source !== null,
        conclusive: source !== null || asked.every(({ result }) => result !== "failed"),
        source,
        record,
        stopped_because: reason,
        asked,
        not_asked: attempts.slice(asked.length).map((attempt) => attempt.source),
      },
    });
    for (const { source, inputs: own } of attempts) {
      const found = await run(source, { ...inputs, ...own });
      const { message, failure } = found;
      asked.push({ source, result: resultOf(found), message, ...(failure === undefined ? {} : { failure }) });
      if (found.match) return ended("record_found", source, found.output);
      if (!found.success && onFailure === "stop") return ended("source_failed", null, null);
    }
    return attempts.length === 0 ? { output: nothingAsked([]) } : ended("all_asked", null, null);
  },
});

interface Attempt {
  readonly source: string;
  readonly inputs?: object;
}

/** The attempts in order, or what is wrong with the request, as a sentence. */
function readAttempts(given: unknown, sources: unknown): readonly Attempt[] | string {
  if (given === undefined) return Object.keys((sources ?? {}) as object).map((source) => ({ source }));
  if (!Array.isArray(given) || !given.every(isAttempt))
    return 'attempts must be a list of {"source": text, "inputs": object}';
  return given.length > ATTEMPTS_MAX ? `there may be at most ${ATTEMPTS_MAX} attempts` : given;
}

function isAttempt(value: unknown): value is Attempt {
  if (typeof value !== "object" || value === null) return false;
  const { source, inputs } = value as Record<string, unknown>;
  return typeof source === "string" && (inputs === undefined || (typeof inputs === "object" && inputs !== null));
}

function resultOf({ success, match }: { readonly success: boolean; readonly match: boolean }) {
  return match ? "record" : success ? "no_record" : "failed";
}

function nothingAsked(notAsked: readonly string[]) {
  return {
    found: false,
    conclusive: false,
    source: null,
    record: null,
    stopped_because: "nothing_to_ask",
    asked: [],
    not_asked: notAsked,
  };
}
