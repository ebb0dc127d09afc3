import type { JsonObject } from "../../../terms/json/json.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { type Asked, fakeCall, fileWith, replyOf } from "../fake-call.kit.ts";

const AT = Date.UTC(2024, 0, 2, 3, 4, 5, 678);
export const moment = { wallMs: AT, nonce: "nonce-1" };
const NAMED = {
  credentials: "credentials: {type: object, properties: {key: {type: string}, user: {type: string}}}",
  inputs: "inputs: {type: object, properties: {name: {type: string}}}",
};

/** The requests of a source with these parts, at the fixed moment. */
export async function sent(
  parts: string,
  credentials: JsonObject = { key: "k" },
  answer = () => replyOf(200),
): Promise<Asked[]> {
  const { call, asked } = fakeCall(answer, { credentials, inputs: { name: "Ada" }, moment });
  await compileDeclarative(fileWith(`${NAMED.inputs}\n${NAMED.credentials}\n${parts}`), "a.yaml").run(call);
  return [...asked];
}

/** What the compiler says of a file that it refuses. */
export function refusal(parts: string): string {
  try {
    compileDeclarative(fileWith(parts), "a.yaml");
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("a refusal was expected");
}
