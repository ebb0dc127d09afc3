import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { compilePattern, PatternProblem } from "./linear-pattern.ts";

const CATALOG = fileURLToPath(new URL("../../../catalog", import.meta.url));

const atom = fc.constantFrom(
  "a",
  "b",
  "ab",
  "[ab]",
  "[^a]",
  "[^]",
  "[]",
  ".",
  "\\d",
  "\\w",
  "\\W",
  "\\s",
  "\\S",
  "[^\\s.]",
  "[\\S]",
  "[a\\d-]",
  "\\u0061",
  "\\u{1F600}",
  "\\ud83d\\ude00",
  "😀",
  "[😀-😂]",
  "\\p{L}",
  "\\P{Lu}",
  "\\p{Script=Latin}",
  "[\\p{N}_]",
  "\\x62",
  "[\\]a]",
  "[[:word:]]",
  "[\\b]",
  "\\.",
  "\\/",
  "/",
  "\\0",
  "\\cJ",
  "_",
);
const quantifier = fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "{1,}", "{1,3}?", "*?", "{0}");
const place = fc.constantFrom("^", "$", "\\b", "\\B");
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => a + b),
    fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie("pattern"), quantifier).map(([a, sign]) => `(${a})${sign}`),
    fc.tuple(place, tie("pattern")).map(([at, a]) => at + a),
    fc.tuple(tie("pattern"), place).map(([a, at]) => a + at),
    fc.tuple(fc.constantFrom("(?i:", "(?-i:", "(?<name>"), tie("pattern")).map(([open, a]) => `${open}${a})`),
  ),
}));
const characters = [..."abABkS 1_-.:/]w😀😁é\u00a0\u017f\u212a\u2028\ufeff\n\r\t\b\0"];
const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 });

test("it matches exactly what V8's own expressions match", () => {
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 3, maxLength: 3 }), (source, texts) => {
      let own: RegExp;
      try {
        own = new RegExp(source, "u");
      } catch {
        // Two groups of the same name.
        return;
      }
      const linear = compilePattern(source);
      // V8 also tries positions between the two UTF-16 units of a character, and folds case in negated classes and
      // properties.
      const isOther = (one: string) =>
        (/\\[bB]/.test(source) && /[😀😁]/u.test(one)) ||
        (source.includes("(?i:") && (/\\[pPwWS]|\[\^/.test(source) || /[\u017f\u212a]/.test(one)));
      for (const one of texts.filter((each) => !isOther(each)))
        assert.equal(linear.test(one), own.test(one), `${source} on ${JSON.stringify(one)}`);
    }),
    { numRuns: 1_000 },
  );
});

/** The values of `pattern` in the files of the catalog. */
function catalogPatterns(): readonly string[] {
  const files = globSync("**/*.{yaml,ts}", { cwd: CATALOG, exclude: ["**/*.test.ts"] });
  const found = files.flatMap((file) =>
    [...readFileSync(join(CATALOG, file), "utf8").matchAll(/\bpattern: (?:'([^']*)'|("(?:[^"\\]|\\.)*"))/g)].map(
      ([, plain, quoted]) => plain ?? (JSON.parse(quoted!) as string),
    ),
  );
  return [...new Set(found)];
}

test("every pattern of the catalog matches what V8's own expression matches", () => {
  const sources = catalogPatterns();
  assert.ok(sources.length > 30, `${sources.length} were found`);
  for (const source of sources) {
    const own = new RegExp(source, "u");
    const linear = compilePattern(source);
    // RE2 does not have some of V8's properties, so nothing is generated for patterns with properties.
    const fitting = /\\p/.test(source) ? text : fc.stringMatching(new RegExp(source.replaceAll(/\(\?i:/g, "(?:")));
    const spoiled = fc.tuple(fitting, text, fc.nat(), fc.nat(3)).map(([one, more, at, gone]) => {
      const from = at % (one.length + 1);
      return one.slice(0, from) + more + one.slice(from + gone);
    });
    fc.assert(
      fc.property(fc.oneof(fitting, spoiled, text), (one) => {
        if (!one.isWellFormed()) return;
        for (const each of [one, one.toUpperCase(), `${one}\n`])
          assert.equal(linear.test(each), own.test(each), `${source} on ${JSON.stringify(each)}`);
      }),
      { numRuns: 50 },
    );
  }
});

const EXPLOSIVE = [
  "^(a+)+$",
  "(a|a)*b",
  "(a|aa)+$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(.*)(.*)(.*)x",
  "\\s+$",
  "[^\\s@]+@[^\\s@]+\\.[^\\s@]+",
  "^(\\p{L}|a)*$",
  "(a{1,30}){1,30}x",
];

for (const source of EXPLOSIVE) {
  test(`${source} costs the length of the text`, () => {
    const stepsFor = (length: number) => {
      let steps = 0;
      for (const tail of ["", "!", "\n", " "])
        compilePattern(source).test("a".repeat(length) + tail, (more) => (steps += more));
      return steps;
    };
    assert.ok(stepsFor(40_000) < 5 * stepsFor(10_000));
  });
}

const REFUSED: Readonly<Record<string, RegExp>> = {
  "(a)\\1": /has a back reference/,
  "(?<n>a)\\k<n>": /has a back reference/,
  "^(?=.*[0-9])a": /has a lookahead/,
  "(?!b)a": /has a lookahead/,
  "(?<=a)b": /has a lookbehind/,
  "(?<!a)b": /has a lookbehind/,
  "(?m:^a$)": /sets the flag m or s/,
  "(?-s:.)": /sets the flag m or s/,
  "\\p{scx=Greek}": /is not supported/,
  "((a{1,300}){1,300}){1,300}": /is not supported: .*repeat/,
  "a{1,100000}": /is not supported: .*repeat/,
  "(?:[ab]{1,90}[bc]{1,90}){1,10}|(?:[cd]{1,90}[de]{1,90}){1,11}": /repeats too much/,
};

for (const [source, says] of Object.entries(REFUSED))
  test(`${source} is refused when it is compiled, by a message with the pattern`, () => {
    assert.throws(
      () => compilePattern(source),
      (error) =>
        error instanceof PatternProblem &&
        says.test(error.message) &&
        error.message.startsWith(`the pattern ${source} `),
    );
  });

test("what is no regular expression is refused as such", () => {
  for (const none of ["(", "[", "a**", "\\", "(?<a", "{", "\\A", "(?P<a>b)", "\\Q.\\E"])
    assert.throws(() => compilePattern(none), SyntaxError, none);
});

test("the cost is reported before a pattern is matched, and the caller may refuse it", () => {
  const costly = compilePattern("(a|b)*a(a|b){14}$");
  const stop = new Error("enough");
  assert.throws(
    () =>
      costly.test("a".repeat(50_000), (steps) => {
        if (steps > 20_000) throw stop;
      }),
    stop,
  );
});
