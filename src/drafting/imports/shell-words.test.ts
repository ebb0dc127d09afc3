import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { shellWords } from "./shell-words.ts";

const words = (text: string) => shellWords(text, "a.sh").map((word) => word.text);

test("words are quoted as bash quotes them", () => {
  assert.deepEqual(words(String.raw`a'b c'"d \"e\" \n \$f"\ g 'h\' $'i\n\x41\u00e9\101\'\z' "" # i`), [
    'ab cd "e" \\n $f g',
    "h\\",
    "i\nAéA'\\z",
    "",
  ]);
  assert.deepEqual(words("a \\\n  b\\\n c \"d\\\ne\" 'f\ng' h#i"), ["a", "b", "c", "de", "f\ng", "h#i"]);
  assert.deepEqual(words(`a"$NUMBER"/\${Lang} '$x' 5$ "$ y"`), ["a{number}/{lang}", "$x", "5$", "$ y"]);
});

test("whatever a text is, in single quotes and in those of ANSI C it comes back as it was", () => {
  const escaped = (text: string) => text.replaceAll(/[\\']/g, "\\$&").replaceAll("\n", "\\n");
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", minLength: 1 })), (texts) => {
      assert.deepEqual(words(texts.map((text) => `'${text.replaceAll("'", "'\\''")}'`).join(" ")), texts);
      assert.deepEqual(words(texts.map((text) => `$'${escaped(text)}'`).join(" \\\n ")), texts);
    }),
  );
});
