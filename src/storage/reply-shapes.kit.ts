import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredShape } from "../health/ports.ts";
import type { EngineUnderTest } from "./engines.kit.ts";

/** The guarantees of the store of reply shapes, on every engine. */
export function replyShapesContract(engine: EngineUnderTest): void {
  test(`${engine.name}: shapes of several processes are kept side by side, replaced as a whole, and removed by age`, async (t) => {
    const open = await engine.newStore(t);
    const stores = [await open(), await open()];
    const shape = (parts: Partial<StoredShape>): StoredShape => ({
      source: "acme__people",
      version: "digest",
      span: "hour",
      at: 3_600_000,
      writer: "st_1",
      samples: 1,
      counts: "1",
      ...parts,
    });
    const [first, second] = [stores[0]!.admin, stores[1]!.admin];
    await Promise.all([
      first.saveReplyShapes([shape({}), shape({ span: "day", at: 0 }), shape({ source: "bell__phone" })]),
      second.saveReplyShapes([shape({ writer: "st_2", samples: 2 }), shape({ version: "later", at: 7_200_000 })]),
    ]);
    await first.saveReplyShapes([shape({ samples: 5, counts: "5" })]);
    await first.saveReplyShapes([]);
    const hours = { source: "acme__people", span: "hour", from: 0, to: 7_200_001 } as const;
    const shown = (shapes: readonly StoredShape[]) =>
      shapes.map(({ version, at, writer, samples, counts }) => [version, at, writer, samples, counts]);
    const all = [
      ["digest", 3_600_000, "st_1", 5, "5"],
      ["digest", 3_600_000, "st_2", 2, "1"],
      ["later", 7_200_000, "st_1", 1, "1"],
    ];
    assert.deepEqual(shown(await second.replyShapes(hours)), all);
    assert.deepEqual(shown(await second.replyShapes({ ...hours, to: 7_200_000 })), all.slice(0, 2));
    assert.deepEqual(shown(await second.replyShapes({ ...hours, version: "later" })), all.slice(2));
    assert.equal((await second.replyShapes({ ...hours, span: "day" })).length, 1);
    assert.deepEqual(await first.sampledSources(3_600_000), ["acme__people", "bell__phone"]);
    assert.deepEqual(await first.sampledSources(3_600_001), ["acme__people"]);
    await first.removeReplyShapes(3_600_001);
    assert.deepEqual(shown(await second.replyShapes(hours)), all.slice(2));
    assert.deepEqual(await first.replyShapes({ ...hours, span: "day" }), []);
  });
}
