import { isCharged, type Charged } from "../terms/fault.ts";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import type { ChargeModel } from "../terms/money/charge.ts";
import { amountText } from "../terms/money/money.ts";
import { numberIn } from "./json-member.ts";
import type { FailureRecord, FunctionRecord, SourceRecord } from "./record.ts";
import type { PlannedTarget } from "./plan.ts";

/** The sources of an answer of `POST /data`, as they are recorded. */
export function readSources(
  body: JsonObject,
  sources: readonly string[],
  targets: readonly PlannedTarget[],
): Record<string, SourceRecord> {
  const isSimulated = isJsonObject(body["config"]) && body["config"]["mode"] === "simulated";
  return Object.fromEntries(
    sources.map((source) => {
      const target = targets.find(({ id }) => id === source);
      const entry = objectIn(body["status"], source);
      const success = entry["success"] === true;
      const match = entry["match"] === true;
      const failure = readFailure(entry["failure"]);
      const charged = isSimulated ? "no" : (failure?.charged ?? chargedBy(target?.bills ?? null, success, match));
      const price = charged === "no" ? null : (target?.price ?? null);
      const record: SourceRecord = {
        success,
        match,
        message: textOf(entry["message"]),
        response_time_ms: numberIn(entry, "response_time_ms"),
        output: objectIn(body["outputs"], source),
        ...(failure !== null && { failure }),
        charged,
        cost: price === null ? null : { amount: amountText(price.amount), currency: price.currency },
      };
      return [source, record];
    }),
  );
}

/** The function of an answer of `POST /func`. */
export function readFunction(body: JsonObject, id: string): FunctionRecord {
  const entry = objectIn(body["status"], id);
  const result = objectIn(body["outputs"], id);
  const failure = readFailure(entry["failure"]);
  return {
    id,
    success: entry["success"] === true,
    message: textOf(entry["message"]),
    response_time_ms: numberIn(entry, "response_time_ms"),
    output: objectIn(result, "output"),
    pipes: objectIn(result, "pipes"),
    ...(failure !== null && { failure }),
  };
}

/** What a vendor that bills in this way has charged for a call that did not fail. */
function chargedBy(bills: ChargeModel | null, success: boolean, match: boolean): Charged | null {
  if (bills === null || !success) return null;
  if (bills === "free") return "no";
  return bills === "per_match" && !match ? "no" : "yes";
}

function readFailure(value: unknown): FailureRecord | null {
  if (!isJsonObject(value)) return null;
  const { kind, retryable, charged, order_id: orderId, resumable } = value;
  return {
    kind: textOf(kind),
    retryable: retryable === true,
    charged: isCharged(charged) ? charged : "unknown",
    ...(typeof orderId === "string" && { order_id: orderId }),
    ...(typeof resumable === "boolean" && { resumable }),
  };
}

/** Failures after which nothing was sent to the vendor, so that a later request costs nothing twice. */
const NOTHING_SENT = new Set(["shed", "unreachable", "budget"]);

/** Whether the source was not called, and can be asked again. */
export function isOpen({ failure }: Pick<SourceRecord, "failure">): boolean {
  return failure !== undefined && failure.charged === "no" && NOTHING_SENT.has(failure.kind);
}

/** Whether nothing of the function has run. */
export function isUnrun({ failure }: Pick<FunctionRecord, "failure">): boolean {
  return failure !== undefined && failure.retryable;
}

function objectIn(parent: unknown, name: string): JsonObject {
  const value = isJsonObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
