import { chargeOfCall } from "../terms/charge.ts";
import { REPORTED, type Charged, type Fault, type FaultKind } from "../terms/fault.ts";
import type { CallReport, PlannedCall, SourceCatalog } from "./ports.ts";

/** What callers of `/data` and functions may branch on after a failed call. */
export interface CallFailure {
  readonly kind: FaultKind;
  /** Whether repeating the call may help and places no second order. It can be billed again. */
  readonly retryable: boolean;
  /** Whether the vendor has charged for the call. */
  readonly charged: Charged;
  /** The vendor's number for the order that it may still work on. */
  readonly order_id?: string;
  /** With that number as an input, a later call of the source fetches what was ordered. */
  readonly resumable?: true;
}

export interface FailedCall {
  readonly call: Pick<PlannedCall, "order" | "mayHaveOrdered">;
  /** Whether its source can continue with an order. */
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

/** The same of a function: what its calls were charged, and the last order that they have placed. */
export interface FunctionFailure extends Omit<CallFailure, "kind"> {
  readonly kind: FaultKind | typeof REPORTED;
  /** The source whose vendor has the order. */
  readonly order_source?: string;
}

/** `fault`: `null` if the function itself reports the failure. */
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
