import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkedList } from "./linked-list.ts";

function drain(list: LinkedList<string>, removeFirst: () => void): string[] {
  const order: string[] = [];
  for (let item = list.first; item !== undefined; item = list.first) {
    order.push(item);
    removeFirst();
  }
  return order;
}

test("items keep their order, whichever of them are removed", () => {
  const items = ["a", "b", "c", "d"];
  for (let removed = 0; removed < 2 ** items.length; removed += 1) {
    const list = new LinkedList<string>();
    const links = items.map((item) => list.add(item));
    const isRemoved = (at: number): boolean => ((removed >> at) & 1) === 1;
    links.forEach((link, at) => isRemoved(at) && list.remove(link));
    const kept = links.filter((_, at) => !isRemoved(at));
    assert.deepEqual(
      drain(list, () => list.remove(kept.shift()!)),
      items.filter((_, at) => !isRemoved(at)),
    );
  }
});

test("an item that was removed can be removed again, which changes nothing", () => {
  const list = new LinkedList<string>();
  const [a, b, c] = [list.add("a"), list.add("b"), list.add("c")];
  list.remove(b);
  list.remove(b);
  list.remove(a);
  list.remove(a);
  assert.equal(list.first, "c");
  list.remove(c);
  list.remove(c);
  assert.equal(list.first, undefined);
  list.add("d");
  assert.equal(list.first, "d");
});

test("a removed item leads to no other", () => {
  const list = new LinkedList<string>();
  const [a, b] = [list.add("a"), list.add("b")];
  list.remove(a);
  assert.deepEqual([a.before, a.after, b.before], [null, null, null]);
});

test("an item that is moved to the end comes last, wherever it was, and can still be removed", () => {
  for (const at of [0, 1, 2]) {
    const list = new LinkedList<string>();
    const links = ["a", "b", "c"].map((item) => list.add(item));
    list.moveToEnd(links[at]!);
    const moved = links[at]!.item;
    assert.deepEqual([...list.items()], [...["a", "b", "c"].filter((item) => item !== moved), moved]);
    list.remove(links[at]!);
    assert.equal([...list.items()].includes(moved), false);
  }
});
