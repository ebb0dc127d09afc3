import assert from "node:assert/strict";
import { test } from "node:test";
import { groupWorkflows } from "./group-workflows.ts";

test("workflows are grouped by what decides on credentials, each in one group", () => {
  const flow = (workflow: string, auto_credentials: boolean, simulated = false) => ({
    workflow,
    name: "",
    auto_credentials,
    simulated,
  });
  const groups = groupWorkflows([flow("a", true), flow("b", true, true), flow("c", true), flow("d", false, true)]);
  const shown = groups.map(({ takes, workflows }) => [takes, workflows.map(({ workflow }) => workflow).join()]);
  assert.deepEqual(shown, [
    ["auto_credentials", "a,c"],
    ["made up", "b,d"],
  ]);
});
