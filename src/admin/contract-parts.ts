import type { ContractFunction, ContractSource } from "../contract/ports.ts";
import type { RunnableSource } from "../run/ports.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { Type } from "../terms/schema/type.ts";
import { functionInput, sourceInput } from "./shared-inputs.ts";
import type { DescribedFunction, FunctionListing, SourceListing } from "./ports.ts";
import { requireFunction, requireSource } from "./require.ts";
import { toWireCharge, toWireLimits } from "./source-wire.ts";

/** The sources and functions of a deployment that its callers may use, as the contract and the clients describe them. */

export const contractInputs = {
  source: Type.Optional(
    Type.Array(sourceInput, { uniqueItems: true, description: "Only this source", "x-placeholder": "ID" }),
  ),
  function: Type.Optional(
    Type.Array(functionInput, { uniqueItems: true, description: "Only this function", "x-placeholder": "ID" }),
  ),
};

export interface ContractParts {
  readonly sources: readonly ContractSource[];
  readonly functions: readonly ContractFunction[];
}

/** Where the parts are found. */
interface Listings {
  sources(): Promise<SourceListing>;
  functions(): Promise<FunctionListing>;
  replyBytesMax(): number;
}

/**
 * What is named or, if nothing is named, every source that is on and every function.
 * @throws OperatorError for an id that does not exist, or a source that is off
 */
export async function contractPartsOf(
  { source: sourceIds, function: functionIds }: { readonly source?: string[]; readonly function?: string[] },
  call: Listings,
): Promise<ContractParts> {
  const isNamed = sourceIds !== undefined || functionIds !== undefined;
  const listing = await call.sources();
  const isOn = (id: string) => listing.placeOf(id)!.isOn;
  const chosen = (sourceIds ?? (isNamed ? [] : listing.ids().filter(isOn))).map((id) => requireSource(listing, id));
  const off = chosen.find(({ id }) => !isOn(id));
  if (off !== undefined) {
    throw new OperatorError(
      "refused",
      `The source ${off.id} is off, so runs cannot ask it. The setting \`catalog\` turns it on.`,
    );
  }
  // Opening the functions starts a process for their isolates.
  const found = isNamed && functionIds === undefined ? null : await call.functions();
  const functions = found === null ? [] : (functionIds?.map((id) => requireFunction(found, id)) ?? found.list());
  const replyBytesMax = call.replyBytesMax();
  return {
    sources: chosen.map((source) => toContractSource(source, replyBytesMax)).sort(byId),
    functions: functions.map(toContractFunction).sort(byId),
  };
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}

function toContractSource(source: RunnableSource, replyBytesMax: number): ContractSource {
  const { id, declaration, credentialUse } = source;
  const { title, description, inputs, output, credentials, resume } = declaration;
  return {
    id,
    title,
    description,
    inputs,
    output,
    credentials,
    credential: credentialUse,
    charge: toWireCharge(source),
    limits: toWireLimits(source, replyBytesMax),
    resumeInput: resume?.input,
  };
}

function toContractFunction(listed: DescribedFunction): ContractFunction {
  const { id, title, description, inputs, output, timeoutMs, memoryMb } = listed;
  return { id, title, description, inputs, output, limits: { timeout_ms: timeoutMs, memory_mb: memoryMb } };
}
