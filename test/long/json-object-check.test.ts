import { test } from "node:test";
import { assertAgrees, makeDocuments } from "../../src/terms/json/json-object-check.kit.ts";

const DOCUMENTS = 1_000_000;
const TIGHT = { depthMax: 3, keysPerObjectMax: 2, valuesMax: 6 };

test("of a million documents nothing is accepted that the parser refuses", (t) => {
  const seed = Date.now() % 2 ** 31;
  t.diagnostic(`seed ${seed}`);
  const documents = makeDocuments(seed);
  for (let index = 0; index < DOCUMENTS; index += 1)
    assertAgrees(documents.next().value, index % 2 === 0 ? { depthMax: 64, keysPerObjectMax: 100_000 } : TIGHT);
});
