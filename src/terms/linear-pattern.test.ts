import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compilePattern } from "./linear-pattern.ts";
import { PatternProblem } from "./parse-pattern.ts";

const atom = fc.constantFrom(
  "a",
  "b",
  "ab",
  "[ab]",
  "[^a]",
  ".",
  "\\d",
  "\\w",
  "\\W",
  "\\s",
  "\\u0061",
  "\\u{1F600}",
  "\\ud83d\\ude00",
  "😀",
  "\\p{L}",
  "\\x62",
  "[\\]a]",
  "\\.",
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
    fc
      .tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?s:"), tie("pattern"))
      .map(([open, a]) => `${open}${a})`),
  ),
}));
const text = fc.string({
  unit: fc.constantFrom("a", "b", "A", " ", "1", "_", "😀", "\n", "é", "]", "."),
  maxLength: 8,
});

test("it matches exactly what the engine's own expressions match", () => {
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 3, maxLength: 3 }), (source, texts) => {
      const own = new RegExp(source, "u");
      let linear;
      try {
        linear = compilePattern(source);
      } catch (error) {
        assert.ok(error instanceof PatternProblem, source);
        return;
      }
      // The engine also tries positions inside a character of two UTF-16 units; this matcher does not.
      const isTorn = (one: string) => /\(\?[=!<]|\\[bB]/.test(source) && one.includes("😀");
      for (const one of texts.filter((each) => !isTorn(each)))
        assert.equal(linear.test(one), own.test(one), `${source} on ${JSON.stringify(one)}`);
    }),
    { numRuns: 3000 },
  );
});

test("a lookahead and a lookbehind for the same thing are told apart", () => {
  for (const source of ["(?=a)(?<=a)", "(?<=\\W)(?=\\W)", "(?!a)(?<!a)", "(?=(?<=a))(?<=(?=a))"])
    for (const one of ["", "a", "aa", ".", "..", "a."])
      assert.equal(compilePattern(source).test(one), new RegExp(source, "u").test(one), `${source} on "${one}"`);
});

const EXPLOSIVE = [
  "^(a+)+$",
  "(a|a)*b",
  "(a|aa)+$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(.*)(.*)(.*)x",
  "\\s+$",
  "[^\\s@]+@[^\\s@]+\\.[^\\s@]+",
  "(?=(a+)+b)(?!(a+)+c)a",
  "(?<=(a+)+)b",
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

test("a pattern that no linear automaton can match, or that is too large, is refused when it is compiled", () => {
  const refused = ["(a)\\1", "(?<n>a)\\k<n>", "(?m:^a$)", "((a{1,300}){1,300}){1,300}", "a{1,100000}"];
  for (const source of refused) assert.throws(() => compilePattern(source), PatternProblem, source);
  const looks = Array.from({ length: 9 }, (_, at) => `(?=.{${at}}a)`).join("");
  assert.throws(() => compilePattern(looks), PatternProblem);
  for (const none of ["(", "[", "a**", "\\", "(?<a", "{"]) assert.throws(() => compilePattern(none), SyntaxError, none);
});

test("the cost is reported while a pattern is matched, and the caller may end it", () => {
  const costly = compilePattern("(a|b)*a(a|b){14}$");
  const letters = Array.from({ length: 50_000 }, (_, at) => ((at * at) % 7 < 3 ? "a" : "b")).join("");
  let left = 20_000;
  const stop = new Error("enough");
  assert.throws(
    () =>
      costly.test(letters, (steps) => {
        if ((left -= steps) < 0) throw stop;
      }),
    stop,
  );
});
