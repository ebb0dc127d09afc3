import { setImmediate as leaveTurn } from "node:timers/promises";

/** Few enough that nobody in the same process waits for them. */
const ITEMS_AT_ONCE = 200;

/** The same items, and others get their turn between some of them: in a service, runs do. */
export async function* unhurried<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, void> {
  let taken = 0;
  for (const item of items) {
    if ((taken += 1) % ITEMS_AT_ONCE === 0) await leaveTurn();
    yield item;
  }
}

/** `Map.groupBy`, unhurried. */
export async function groupUnhurried<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): Promise<ReadonlyMap<string, readonly Item[]>> {
  const groups = new Map<string, Item[]>();
  for await (const item of unhurried(items)) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
