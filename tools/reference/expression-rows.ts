import { FUNCTIONS } from "../../src/sources/declarative/expressions/expression-functions.ts";
import { code } from "./markdown.ts";

/** What each function of expressions returns. A function without a line here, or a line without a function, stops the generator. */
const FUNCTION_SAYS: Readonly<Record<string, string>> = {
  abs: "the absolute value",
  ceil: "rounded up to a whole number",
  floor: "rounded down to a whole number",
  avg: "the mean; nothing for an empty list",
  sum: "the sum",
  max: "the greatest number, or the last text in order",
  min: "the least number, or the first text in order",
  max_by: "the entry for which the expression is greatest",
  min_by: "the entry for which it is least",
  sort: "the entries in order",
  sort_by: "the entries in the order of an expression",
  group_by: "an object of lists, grouped by the value of an expression for each entry",
  map: "the value of an expression for each entry, including `null`",
  keys: "its member names",
  values: "its member values",
  items: "its members as pairs `[name, value]`",
  from_items: "an object made from such pairs",
  merge: "one object made from several; later members win",
  zip: "lists of the entries at the same position, up to the length of the shortest",
  to_array: "a list as it is, anything else as a list with one entry",
  not_null: "the first that is not `null`",
  type: "`array`, `boolean`, `null`, `number`, `object` or `string`",
  length: "the number of characters, entries or members",
  reverse: "in reverse order",
  contains: "whether the text or the list contains it",
  starts_with: "whether the text begins with the second one",
  ends_with: "whether the text ends with the second one",
  find_first: "the first position of the second text in the first, from 0; nothing if it does not occur",
  find_last: "its last position",
  lower: "in lower case",
  upper: "in upper case",
  trim: "without white space, or those characters, at both ends",
  trim_left: "the same at the beginning",
  trim_right: "the same at the end",
  pad_left: "padded to a length at the beginning, with spaces or that character",
  pad_right: "padded at the end",
  join: "one text made from several, with the first argument between them",
  split: "a list of texts, split at the second argument",
  replace: "the first text with the second replaced by the third",
  to_string: "a text as it is, anything else as its JSON text",
  to_number: "a number as it is, or the number that a text contains; nothing for any other value",
};

/** The reply that the examples are evaluated over. */
export const EXAMPLE_ANSWER = `{
  "status": 200,
  "headers": { "x-total": "2" },
  "body": {
    "id": 12345678901234567890,
    "name": " Ada Example ",
    "born": "10/12/1815",
    "balance": -12.5,
    "address": { "street": "1 Example Street", "postcode": "ZZ1 1ZZ" },
    "scores": [655, 9, 640],
    "hits": [
      { "name": "B. Example", "score": 2, "kind": "person" },
      { "name": "A. Example", "score": 9, "kind": "firm" }
    ]
  }
}`;

/** An expression over it, and its value. A test evaluates each of them. */
const EXAMPLES: Readonly<Record<string, readonly [expression: string, gives: string]>> = {
  abs: ["abs(body.balance)", "12.5"],
  ceil: ["ceil(body.balance)", "-12"],
  floor: ["floor(body.balance)", "-13"],
  avg: ["avg(body.hits[*].score)", "5.5"],
  sum: ["sum(body.scores)", "1304"],
  max: ["max(body.scores)", "655"],
  min: ["min(body.hits[*].name)", '"A. Example"'],
  max_by: ["max_by(body.hits, &score).name", '"A. Example"'],
  min_by: ["min_by(body.hits, &score).name", '"B. Example"'],
  sort: ["sort(body.scores)", "[9,640,655]"],
  sort_by: ["sort_by(body.hits, &name)[0].kind", '"firm"'],
  group_by: ["keys(group_by(body.hits, &kind))", '["person","firm"]'],
  map: ["map(&middle, body.hits)", "[null,null]"],
  keys: ["keys(body.address)", '["street","postcode"]'],
  values: ["values(body.address)", '["1 Example Street","ZZ1 1ZZ"]'],
  items: ["items(headers)", '[["x-total","2"]]'],
  from_items: ["from_items(zip(body.hits[*].kind, body.hits[*].score))", '{"person":2,"firm":9}'],
  merge: ["merge(headers, {source: 'register'})", '{"x-total":"2","source":"register"}'],
  zip: ["zip(body.scores, body.hits[*].kind)", '[[655,"person"],[9,"firm"]]'],
  to_array: ["to_array(body.born)", '["10/12/1815"]'],
  not_null: ["not_null(body.died, body.born)", '"10/12/1815"'],
  type: ["type(body.died)", '"null"'],
  length: ["length(body.hits)", "2"],
  reverse: ["reverse(split(body.born, '/'))", '["1815","12","10"]'],
  contains: ["contains(body.scores, `640`)", "true"],
  starts_with: ["starts_with(body.address.postcode, 'ZZ1')", "true"],
  ends_with: ["ends_with(body.born, '1815')", "true"],
  find_first: ["find_first(body.born, '/')", "2"],
  find_last: ["find_last(body.born, '/')", "5"],
  lower: ["lower(body.address.postcode)", '"zz1 1zz"'],
  upper: ["upper(body.hits[0].kind)", '"PERSON"'],
  trim: ["trim(body.name)", '"Ada Example"'],
  trim_left: ["trim_left(body.address.postcode, 'Z')", '"1 1ZZ"'],
  trim_right: ["trim_right(body.name)", '" Ada Example"'],
  pad_left: ["pad_left(headers.\"x-total\", `4`, '0')", '"0002"'],
  pad_right: ["pad_right(body.hits[1].kind, `6`, '.')", '"firm.."'],
  join: ["join(', ', values(body.address))", '"1 Example Street, ZZ1 1ZZ"'],
  split: ["split(trim(body.name), ' ')", '["Ada","Example"]'],
  replace: ["replace(body.born, '/', '-')", '"10-12-1815"'],
  to_string: ["to_string(body.id)", '"12345678901234567890"'],
  to_number: ['to_number(headers."x-total")', "2"],
};

/** A row for each function: how it is called, what it returns, and an example. */
export function expressionRows(): string[][] {
  const told = Object.keys(FUNCTION_SAYS).filter((name) => Object.hasOwn(EXAMPLES, name));
  const astray = [...FUNCTIONS.keys()].filter((name) => !told.includes(name));
  astray.push(...told.filter((name) => !FUNCTIONS.has(name)));
  if (astray.length > 0)
    throw new Error(`tools/reference/expression-rows.ts and the functions disagree on ${astray.join(", ")}`);
  return [...FUNCTIONS].map(([name, { takes, optional, variadic }]) => {
    const words = takes.map((types, at) => {
      const word = types.map((type) => TYPE_SAYS[type] ?? type).join(" or ");
      if (variadic && at === takes.length - 1) return `${word}, …`;
      return at >= takes.length - optional ? `[${word}]` : word;
    });
    const [example, gives] = EXAMPLES[name]!;
    return [code(`${name}(${words.join(", ")})`), FUNCTION_SAYS[name]!, `${code(example)} is ${code(gives)}`];
  });
}

const TYPE_SAYS: Readonly<Record<string, string>> = {
  any: "anything",
  string: "text",
  array: "list",
  expression: "&expression",
  numbers: "list of numbers",
  strings: "list of texts",
  arrays: "list of lists",
};
