import { isJsonObject, type JsonObject } from "../../terms/json/json.ts";
import { OperatorError } from "../../terms/operator-error.ts";
import { Type } from "../../terms/schema/type.ts";
import { contractInputs, contractPartsOf } from "../contract-parts.ts";
import { anObject, rowsOf, text } from "../result-schemas.ts";
import { defineVerb } from "../verb.ts";

/** Everything that a contract of a deployment with very many sources has. */
const CONTRACT_CHARS_MAX = 64_000_000;

export default defineVerb({
  summary: "Print the public contract (OpenAPI 3.1) with the sources and functions of this deployment",
  description:
    "Without --source and --function it has every source that is on, and every function. With --against nothing is printed but what would break a client of an earlier contract, one line each with its JSON pointer: something that was removed, an input that is required now, a type that changed, an input that accepts less. Additions break nothing. The exit code is then 2; it is 1 if the earlier contract cannot be read.",
  example: "--source google__phone_number --against openapi.json",
  input: {
    ...contractInputs,
    against: Type.Optional(
      Type.String({
        maxLength: CONTRACT_CHARS_MAX,
        description: "The earlier contract, of this command or the file openapi.json of a release",
        "x-file": true,
      }),
    ),
  },
  role: "viewer",
  changes: false,
  needs: ["sources", "functions", "replyBytesMax"],

  result: Type.Union([
    { ...anObject, description: "The contract" },
    Type.Object({ breaking: rowsOf({ path: text, change: text }) }),
  ]),

  async run({ against, ...chosen }, call): Promise<JsonObject> {
    const before = against === undefined ? undefined : readContract(against);
    const { sources, functions } = await contractPartsOf(chosen, call);
    // Loaded only here: most commands and a service that serves requests do not need it.
    const { deploymentContract } = await import("../../contract/deployment-contract.ts");
    const contract = deploymentContract(sources, functions);
    if (before === undefined) return contract;
    const { breakingChanges } = await import("../../contract/compare-contracts.ts");
    return { breaking: breakingChanges(before, contract).map(({ path, change }) => ({ path, change })) };
  },

  hasFailed: ({ breaking }) => Array.isArray(breaking) && breaking.length > 0,
  failureExitCode: 2,

  render(result) {
    const { breaking } = result;
    if (!Array.isArray(breaking)) return `${JSON.stringify(result, null, 2)}\n`;
    const changes = breaking as unknown as readonly { readonly path: string; readonly change: string }[];
    if (changes.length === 0) return "Nothing breaks a client of the earlier contract.\n";
    return changes.map(({ path, change }) => `${path}: ${change}\n`).join("");
  },
});

/** @throws OperatorError */
function readContract(text: string): JsonObject {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new OperatorError("invalid", "The earlier contract is not JSON.", { cause });
  }
  if (!isJsonObject(document as JsonObject)) throw notContract();
  const { openapi, paths } = document as JsonObject;
  if (typeof openapi !== "string" || !openapi.startsWith("3.") || !isJsonObject(paths!)) throw notContract();
  return document as JsonObject;
}

function notContract(): OperatorError {
  return new OperatorError("invalid", "The earlier contract is not an OpenAPI 3 document with `paths`.");
}
