import type { JsonObject } from "../../terms/json/json.ts";
import { NEVER, type SchemaGraph } from "./schema-graph.ts";
import { constantsOf, kindsOf, listOf, objectIn, own } from "./schema-keywords.ts";

/** More alternatives of one value are not told apart. */
const ALTERNATIVES_MAX = 64;

/** Branches of a schema of which one has to be valid; all the schemas of a branch apply together. */
interface BranchChoice {
  readonly of: JsonObject;
  readonly branches: readonly (readonly unknown[])[];
}

/** The alternatives of a conjunction, each as all the schemas that apply together. */
export function alternativesOf(graph: SchemaGraph, schemas: readonly JsonObject[]): readonly ReadonlySet<JsonObject>[] {
  const pending: BranchChoice[] = [];
  const first = new Set<JsonObject>();
  if (schemas.some((schema) => !addAll(graph, first, [schema], schema, pending))) return [];
  const done: ReadonlySet<JsonObject>[] = [];
  const open: { set: ReadonlySet<JsonObject>; pending: readonly BranchChoice[] }[] = [{ set: first, pending }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [choice, ...others] = next.pending;
    if (choice === undefined) {
      done.push(next.set);
      continue;
    }
    const { set } = next;
    const alternatives = choice.branches.flatMap((branch) => {
      const extended = new Set(set);
      const further: BranchChoice[] = [];
      const isPossible = addAll(graph, extended, branch, choice.of, further) && kindsOf(extended).size > 0;
      return isPossible ? [{ set: extended, pending: [...others, ...further] }] : [];
    });
    const tooMany = done.length + open.length + alternatives.length > ALTERNATIVES_MAX;
    open.push(...(tooMany ? [{ set, pending: others }] : alternatives.toReversed()));
  }
  return done;
}

/** Adds schemas and everything that applies together with them; `false` if nothing can be valid. */
function addAll(
  graph: SchemaGraph,
  set: Set<JsonObject>,
  schemas: readonly unknown[],
  from: JsonObject,
  pending: BranchChoice[],
): boolean {
  for (const each of schemas) {
    const schema = graph.enter(each, from);
    if (schema === undefined || set.has(schema)) continue;
    if (schema === NEVER) return false;
    set.add(schema);
    const values = constantsOf(schema);
    if (values === undefined) pending.push(...choicesOf(schema));
    else set.add(graph.enter(values, schema)!);
    const target = graph.targetOf(schema);
    if (target !== undefined && !addAll(graph, set, [target], target, pending)) return false;
    if (!addAll(graph, set, listOf(schema, "allOf"), schema, pending)) return false;
  }
  return true;
}

/** `if` is a choice: both it and `then`, or `else`. */
function choicesOf(schema: JsonObject): readonly BranchChoice[] {
  const found: BranchChoice[] = [];
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = listOf(schema, keyword);
    if (branches.length > 0) found.push({ of: schema, branches: branches.map((branch) => [branch]) });
  }
  const [condition, then = true, otherwise = true] = ["if", "then", "else"].map((keyword) => own(schema, keyword));
  if (condition !== undefined && otherwise !== true)
    found.push({ of: schema, branches: [[condition, then], [otherwise]] });
  return found;
}

/** The names that any branch of a conjunction declares for its object. */
export function namesOf(graph: SchemaGraph, schemas: readonly JsonObject[]): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<JsonObject>();
  const visit = (part: unknown, from: JsonObject): void => {
    const schema = graph.enter(part, from);
    if (schema === undefined || seen.has(schema)) return;
    seen.add(schema);
    for (const [name, property] of Object.entries(objectIn(schema, "properties")))
      if (property !== false) names.add(name);
    for (const keyword of ["allOf", "anyOf", "oneOf"])
      for (const branch of listOf(schema, keyword)) visit(branch, schema);
    for (const keyword of ["if", "then", "else"]) visit(own(schema, keyword), schema);
    for (const branch of Object.values(objectIn(schema, "dependentSchemas"))) visit(branch, schema);
    const target = graph.targetOf(schema);
    if (target !== undefined) visit(target, target);
  };
  for (const schema of schemas) visit(schema, schema);
  return names;
}
