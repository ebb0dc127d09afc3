import { FUNCTIONS } from "../../src/sources/declarative/expressions/expression-functions.ts";
import { code } from "./markdown.ts";

/** What each function of expressions gives. One without a line here, or a line without a function, stops the generator. */
const FUNCTION_SAYS: Readonly<Record<string, string>> = {
  abs: "without its sign",
  ceil: "the next whole number above",
  floor: "the next whole number below",
  avg: "the mean; nothing for an empty list",
  sum: "the sum",
  max: "the greatest, or the last in the order of texts",
  min: "the least, or the first in the order of texts",
  max_by: "the entry of which the expression is greatest: `max_by(body.hits, &score)`",
  min_by: "the entry of which it is least",
  sort: "in order",
  sort_by: "in the order of an expression: `sort_by(body.hits, &date)`",
  group_by: "an object of lists, by what an expression is of each entry",
  map: "an expression of each entry, `null` included: `map(&name, body.people)`",
  keys: "its names",
  values: "its values",
  items: "its members as pairs `[name, value]`",
  from_items: "an object of such pairs",
  merge: "one object of several; the later counts",
  zip: "lists of what stands at the same place, as far as the shortest goes",
  to_array: "a list as it is, anything else as a list of one",
  not_null: "the first that is not `null`",
  type: "`array`, `boolean`, `null`, `number`, `object` or `string`",
  length: "how many characters, entries or members",
  reverse: "from the end to the beginning",
  contains: "whether the text or the list holds it",
  starts_with: "whether the text begins so",
  ends_with: "whether the text ends so",
  find_first: "where a text first stands in another, from 0; nothing if nowhere",
  find_last: "where it last stands",
  lower: "small letters",
  upper: "capital letters",
  trim: "without blanks, or those characters, at both ends",
  trim_left: "the same at the beginning",
  trim_right: "the same at the end",
  pad_left: "filled up to a length at the beginning, with blanks or that character",
  pad_right: "filled up at the end",
  join: "one text of several, with the first between: `join(', ', body.lines)`",
  split: "a list of texts, cut at the second: `split(body.name, ' ')`",
  replace: "the third in place of the second: `replace(body.date, '/', '-')`",
  to_string: "a text as it is, anything else as its JSON text",
  to_number: "a number as it is, or the one that a text writes; nothing for any other value",
};

/** A row for each function: how it is called, what it gives. */
export function expressionRows(): string[][] {
  const told = Object.keys(FUNCTION_SAYS);
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
    return [code(`${name}(${words.join(", ")})`), FUNCTION_SAYS[name]!];
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
