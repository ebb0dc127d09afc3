import assert from "node:assert/strict";
import { test } from "node:test";
import { httpAddress, readProse } from "./read-prose.ts";

test("paragraphs, lists, tables, code, bold and links are distinguished, and lines are joined", () => {
  assert.deepEqual(
    readProse(
      "One `a` and\n**two**.\n\n# Head\nbelow\n\nThe list:\n- first\n  goes on\n- [second](https://a.example/x)",
    ),
    [
      {
        kind: "paragraph",
        line: [
          { kind: "text", text: "One " },
          { kind: "code", text: "a" },
          { kind: "text", text: " and " },
          { kind: "strong", text: "two" },
          { kind: "text", text: "." },
        ],
      },
      { kind: "heading", line: [{ kind: "text", text: "Head" }] },
      { kind: "paragraph", line: [{ kind: "text", text: "below" }] },
      { kind: "paragraph", line: [{ kind: "text", text: "The list:" }] },
      {
        kind: "list",
        items: [
          [{ kind: "text", text: "first goes on" }],
          [{ kind: "link", text: "second", href: "https://a.example/x" }],
        ],
      },
    ],
  );
  const [table] = readProse("| code | takes |\n| --- | --- |\n| `a` | |");
  assert.deepEqual(table, {
    kind: "table",
    head: [[{ kind: "text", text: "code" }], [{ kind: "text", text: "takes" }]],
    rows: [[[{ kind: "code", text: "a" }], []]],
  });
  assert.deepEqual(readProse(" \n\n"), []);
});

test("only http and https are links; everything else stays as it was written", () => {
  const linesOf = (text: string) => readProse(text).flatMap((block) => ("line" in block ? block.line : []));
  for (const text of [
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](//evil.example)",
    "[x](/console/tokens)",
    "<img src=x onerror=alert(1)>",
    "<javascript:alert(1)>",
    '<a href="https://a.example">x</a>'.replace("https", "ftp"),
  ])
    assert.deepEqual(
      linesOf(text)
        .map(({ kind }) => kind)
        .filter((kind) => kind === "link"),
      [],
      text,
    );
  assert.deepEqual(linesOf("See https://a.example/b, now."), [
    { kind: "text", text: "See " },
    { kind: "link", text: "https://a.example/b", href: "https://a.example/b" },
    { kind: "text", text: ", now." },
  ]);
  assert.equal(httpAddress("HTTPS://a.example"), "https://a.example/");
  assert.equal(httpAddress("vbscript:x"), null);
});

test("a text made to be slow is read at once", () => {
  for (const piece of ["[", "**", "`", "https://", "[a](", "|", "- "]) {
    const startedAt = performance.now();
    readProse(piece.repeat(20_000));
    // A quadratic parser takes many seconds; this bound leaves a wide margin on both sides.
    assert.ok(performance.now() - startedAt < 2_000, piece);
  }
});
