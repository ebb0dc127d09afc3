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
  max_by: "the entry for which the expression is greatest: `max_by(body.hits, &score)`",
  min_by: "the entry for which it is least",
  sort: "the entries in order",
  sort_by: "the entries in the order of an expression: `sort_by(body.hits, &date)`",
  group_by: "an object of lists, grouped by the value of an expression for each entry",
  map: "the value of an expression for each entry, including `null`: `map(&name, body.people)`",
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
  join: "one text made from several, with the first argument between them: `join(', ', body.lines)`",
  split: "a list of texts, split at the second argument: `split(body.name, ' ')`",
  replace: "the first text with the second replaced by the third: `replace(body.date, '/', '-')`",
  to_string: "a text as it is, anything else as its JSON text",
  to_number: "a number as it is, or the number that a text contains; nothing for any other value",
};

/** A row for each function: how it is called and what it returns. */
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
