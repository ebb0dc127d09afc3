import { chargeOfCall } from "../terms/money/charge.ts";
import { REPORTED, type Charged, type Fault, type FaultKind } from "../terms/fault.ts";
import type { CallReport, PlannedCall, SourceCatalog } from "./ports.ts";

/** The details of a failed call, on which callers of `/data` and functions may branch. */
export interface CallFailure {
  readonly kind: FaultKind;
  /** Whether another call may succeed without placing a second order. It can be billed again. */
  readonly retryable: boolean;
  /** Whether the vendor has charged for the call. */
  readonly charged: Charged;
  /** The vendor's number for an order that it may still be working on. */
  readonly order_id?: string;
  /** `true` if a later call of the source with `order_id` as an input can fetch the result of the order. */
  readonly resumable?: true;
}

export interface FailedCall {
  readonly call: Pick<PlannedCall, "order" | "mayHaveOrdered">;
  /** Whether its source can fetch the result of an order in a later call. */
  readonly resumable: boolean;
}

export function failureOf(fault: Fault, charged: Charged, { call, resumable }: FailedCall): CallFailure {
  const { kind, retryable } = fault.row;
  const orderId = call.order?.id ?? null;
  return {
    kind,
    retryable: retryable && !call.mayHaveOrdered,
    charged,
    ...(orderId === null ? {} : { order_id: orderId, ...(resumable ? { resumable } : {}) }),
  };
}

/** The details of a failed function: the charge of its calls together, and the last order that they placed. */
export interface FunctionFailure extends Omit<CallFailure, "kind"> {
  readonly kind: FaultKind | typeof REPORTED;
  /** The source whose vendor has the order. */
  readonly order_source?: string;
}

/** @param fault `null` if the function itself reports the failure */
export function functionFailureOf(
  fault: Fault | null,
  calls: readonly CallReport[],
  catalog: SourceCatalog,
): FunctionFailure {
  const ordered = calls.findLast(({ orderId }) => orderId !== null);
  const order =
    ordered === undefined
      ? {}
      : {
          order_id: ordered.orderId!,
          order_source: ordered.source,
          ...(catalog.find(ordered.source)?.resumable === true ? { resumable: true as const } : {}),
        };
  return {
    kind: fault?.row.kind ?? REPORTED,
    retryable: fault?.row.retryable ?? false,
    charged: chargeOfCall(calls.map(({ charged }) => charged)),
    ...order,
  };
}
