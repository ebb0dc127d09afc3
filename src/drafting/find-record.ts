import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import { snakeCase } from "./draft-request.ts";
import { isTrue } from "../sources/declarative/expressions/evaluate.ts";

/** The position of the record in a reply, as names from its root. */
export interface RecordPath {
  readonly steps: readonly string[];
  /** The record is a list of records, which may be empty. */
  readonly isList: boolean;
}

/** Words in member names that describe the reply or the request. Such members are in every reply. */
const OF_ENVELOPE = wordSet(`
  api audit code codes copyright count counts cost criteria credits cursor date duration elapsed error errors filter filters
  header headers info inquiry input inputs jsonapi license limit link links message messages meta metadata next notice offset
  ok page pages paging pagination parameters params previous processed quantity query rate reference remaining request
  requests response schema search self size status statuses success successful summary time timestamp took total totals trace
  transaction transactions version warning warnings
`);
/** Words in names of lists of results. */
const OF_LIST = wordSet(
  "candidate candidates data entries found hit hits item items list match matches record records result results",
);
const OUTCOMES = wordSet("answer outcome reason");
const DEPTH_MAX = 8;

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

/**
 * Guesses the position of the record in a sample: below members that only wrap it, beside members that describe the
 * reply. A list is the record if no member beside it can be.
 */
export function findRecord(sample: Json, steps: readonly string[] = []): RecordPath {
  if (Array.isArray(sample)) return { steps, isList: true };
  if (!isJsonObject(sample)) return { steps, isList: false };
  const own = ownMembers(sample);
  const lists = own.filter(([, value]) => isListOfRecords(value));
  const found = lists.find(([name]) => hasWord(name, OF_LIST));
  const others = own.filter((member) => !lists.includes(member));
  const list = others.length === 0 && lists.length === 1 ? lists[0] : others.every(isObjectMember) ? found : undefined;
  if (list !== undefined) return { steps: [...steps, list[0]], isList: true };
  const [only] = own;
  if (own.length === 1 && isJsonObject(only![1]) && steps.length < DEPTH_MAX)
    return findRecord(only![1], [...steps, only![0]]);
  return { steps, isList: false };
}

/** The members that describe the record; all members if the names do not tell. */
export function ownMembers(value: JsonObject): readonly (readonly [name: string, value: Json])[] {
  const members = Object.entries(value).filter(([, member]) => isTrue(member));
  const own = members.filter(([name, member]) => !hasWord(name, OF_ENVELOPE) && !isOutcome(name, member));
  return own.length === 0 ? members : own;
}

/** A text such as `result: FOUND`, which reports whether there is a record, or an XML attribute. */
function isOutcome(name: string, value: Json): boolean {
  return typeof value !== "object" && (name.startsWith("@") || hasWord(name, OF_LIST) || hasWord(name, OUTCOMES));
}

function hasWord(name: string, words: ReadonlySet<string>): boolean {
  return snakeCase(name)
    .split("_")
    .some((word) => words.has(word));
}

function isListOfRecords(value: Json): boolean {
  return Array.isArray(value) && value.some(isJsonObject);
}

function isObjectMember([, value]: readonly [string, Json]): boolean {
  return isJsonObject(value);
}
