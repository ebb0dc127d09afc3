import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePredicate } from "./expression.ts";
import { findTypo } from "./expression-typos.ts";
import type { DocumentLocation } from "../format/read-document.ts";
import { compileDeclarative } from "../compile-declarative.ts";

/** Throws the problem and the hint as one message. */
const place: DocumentLocation = {
  path: [],
  in: () => place,
  refuse: (code, problem, hint) => {
    throw new Error(`${code} ${problem} -> ${hint}`);
  },
  refuseKey: (code, problem, hint) => {
    throw new Error(`${code} ${problem} -> ${hint}`);
  },
};

const SLIPS: readonly (readonly [expression: string, says: string])[] = [
  ["status = `200`", 'expression.slip "=" compares nothing -> write "=="'],
  ["body.items[?kind = 'a']", 'expression.slip "=" compares nothing -> write "=="'],
  ["status == `200` && body.x = 'a'", 'expression.slip "=" compares nothing -> write "=="'],
  ["status === `200`", 'expression.slip "===" compares nothing -> write "=="'],
  ["status <> `200`", 'expression.slip "<>" compares nothing -> write "!="'],
  ["status =< `200`", 'expression.slip "=<" compares nothing -> write "<="'],
  ["body.a == 'x", "expression.slip a text in quotes is not closed -> write 'x'"],
  [`body.a == "x"`, `expression.slip "x" is the name of a member, not a text -> write 'x', or @."x" for the member`],
  [
    `body.items[?kind == "not found"]`,
    `expression.slip "not found" is the name of a member, not a text -> write 'not found', or @."not found" for the member`,
  ],
  [
    `body.items[?"a" == kind]`,
    `expression.slip "a" is the name of a member, not a text -> write 'a', or @."a" for the member`,
  ],
  ["body.items[?active == true]", "expression.slip true is the name of a member here -> write `true` in backticks"],
  ["body.a == null", "expression.slip null is the name of a member here -> write `null` in backticks"],
  ["body.a &&& body.b", 'expression.slip a single "&" makes an expression for a function -> leave it out'],
  ["body.a & body.b", 'expression.slip a single "&" makes an expression for a function -> write "&&" for and'],
  [
    "body.first-name",
    'expression.slip first-name is a subtraction -> write "first-name" in double quotes for a name, or spaces around -',
  ],
  [
    "body.id == `12345678901234567891`",
    "expression.slip the number in `12345678901234567891` has more digits than can be compared -> compare by to_string()",
  ],
  ["status == '404'", "expression.slip a status is a number -> write `404` in backticks"],
  ['`"404"` != status', "expression.slip a status is a number -> write `404` in backticks"],
  [
    "body.date > '2020-01-01'",
    "expression.slip < and > compare numbers only -> compare texts with == or !=, or convert them with to_number()",
  ],
  ["`1` < body.n < `5`", 'expression.slip comparisons do not chain -> compare twice, joined by "&&"'],
  [
    "type(body.list) == 'list'",
    "expression.slip there is no type list -> types are array, boolean, null, number, object, string",
  ],
  [
    "status == `404` | status == `410`",
    'expression.slip after "|" there is no status of the reply -> write "||" for or, or $ before the name',
  ],
  ["!body.cached", 'expression.slip "!" applies only to the first name -> write !(…) around the whole expression'],
  [
    "status == `200` && (!body.hits[0].name || body.x)",
    'expression.slip "!" applies only to the first name -> write !(…) around the whole expression',
  ],
  [
    `headers."Content-Type" == 'a'`,
    'expression.slip names of header fields are in lower case -> write headers."content-type"',
  ],
];

test("expressions that are valid but surely not intended are refused, with a suggestion", () => {
  for (const [expression, says] of SLIPS) {
    assert.throws(() => compilePredicate(expression, place), { message: says }, expression);
  }
});

test("what means what it says is left alone", () => {
  for (const expression of [
    "status == `200`",
    "let $x = body.a in $x == 'b'",
    "sort_by(body.items, &name)[0]",
    "map(&to_string(@), body.items)",
    `body."first-name" == 'a=b & c < "d"'`,
    `"body"."a" == 'x'`,
    `body.items[?"not-plain" == 'x']`,
    'body.items[?@."x" == kind]',
    "{true: body.a, null: body.b}.true",
    "body.items[?!active] | [0].name",
    "body.a - body.b",
    "body.items[*].price | sum(@)",
    "{body: body.a} | body",
    "body.text == 'it\\'s `quoted` \"so\"'",
    'body.a == `{"n": 0.1}`',
    "body.big == `1e22`",
    "!(body.a) && (body.b > `1`) == (body.c > `1`)",
  ]) {
    assert.equal(findTypo(expression), null, expression);
    compilePredicate(expression, place);
  }
});

test("the location that is named is that of the typo, on its line", () => {
  const file = `id: acme__a
title: A
inputs: {type: object}
origins: ['https://a.example']
request: {url: 'https://a.example/'}
match:
  record: status == \`200\`
  no_record: >-
    status == \`404\`
    || body.none = 'x'
`;
  const refused = (text: string, message: RegExp) =>
    assert.throws(() => compileDeclarative(text, "a.yaml"), { message });
  refused(file.replace("status == `200`", "status = `200`"), /^a\.yaml:7:18: /);
  refused(file.replace("status == `200`", "'status = `200`'"), /^a\.yaml:7:19: /);
  refused(file, /^a\.yaml:8:14: "=" compares nothing/);
});
