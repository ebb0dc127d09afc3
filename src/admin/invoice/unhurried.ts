import type { Stretch } from "../../terms/stretch.ts";

/** The same items, and others get their turn whenever some of them have taken long: in a service, runs do. */
export async function* unhurried<Item>(items: Iterable<Item>, stretch: Stretch): AsyncGenerator<Item, void, void> {
  for (const item of items) {
    if (stretch.isLong) await stretch.end();
    yield item;
  }
}

/** `Map.groupBy`, unhurried. */
export async function groupUnhurried<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
  stretch: Stretch,
): Promise<ReadonlyMap<string, readonly Item[]>> {
  const groups = new Map<string, Item[]>();
  for await (const item of unhurried(items, stretch)) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
