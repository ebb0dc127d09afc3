import type { JsonObject } from "../terms/json.ts";
import type { Stretch } from "../terms/stretch.ts";

const ENTRIES_AT_ONCE = 500;

/** `JSON.stringify` of an object whose own lists may be very long: other work runs between parts of them. */
export async function writeInStretches(value: JsonObject, stretch: Stretch): Promise<string> {
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = Array.isArray(member) ? await listText(member, stretch) : JSON.stringify(member);
    // As in an object that is written at once, `undefined` is not a member.
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

async function listText(list: readonly unknown[], stretch: Stretch): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < list.length; at += ENTRIES_AT_ONCE) {
    if (stretch.isLong) await stretch.end();
    parts.push(JSON.stringify(list.slice(at, at + ENTRIES_AT_ONCE)).slice(1, -1));
  }
  return `[${parts.join(",")}]`;
}
