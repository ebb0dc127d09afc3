import { Type } from "../../terms/type.ts";
import { Fault } from "../../terms/fault.ts";
import type { RunRoute } from "../route.ts";
import {
  answeredConfig,
  anyObject,
  CONFIG_FIELDS,
  mapOf,
  Milliseconds,
  readRunFields,
  REQUEST_FIELDS,
  TransactionId,
} from "../run-fields.ts";

/** A missing or empty `config.sources` is not a schema error: it is answered with 500. */
const DataRequest = Type.Object(
  { ...REQUEST_FIELDS, config: Type.Object({ ...CONFIG_FIELDS }) },
  { title: "Data run request" },
);

const SourceStatus = Type.Object(
  {
    success: Type.Boolean({ description: "Whether the source completed." }),
    message: Type.String({ description: "Outcome text; not to be parsed." }),
    match: Type.Boolean({ description: "Whether the vendor found a record." }),
    response_time_ms: Milliseconds,
    failure: Type.Optional(
      Type.Object(
        {
          kind: Type.String({ description: "Class of the failure, as listed in docs/errors.md." }),
          retryable: Type.Boolean({ description: "Whether asking this source again may help; it can be billable." }),
          charged: Type.Union([Type.Literal("yes"), Type.Literal("no"), Type.Literal("unknown")], {
            description: "Whether the vendor has probably charged for the failed call.",
          }),
          order_id: Type.Optional(
            Type.String({
              description: "The vendor's number for the order, with which a later run can fetch the result.",
            }),
          ),
        },
        { description: "On failed entries, if the workflow has failure_details." },
      ),
    ),
  },
  { title: "Source status" },
);

const DataResponse = Type.Object(
  {
    transaction_id: TransactionId,
    config: answeredConfig(),
    outputs: mapOf(
      anyObject("The result, in the fields that the source declares."),
      "One entry per requested source; `{}` after a failure.",
    ),
    status: mapOf(SourceStatus, "Same keys as `outputs`. Read it first."),
    response_time_ms: Milliseconds,
  },
  { title: "Data run response" },
);

/** Asks sources. */
export const dataRoute: RunRoute = {
  method: "POST",
  path: "/data",
  operationId: "runData",
  summary: "Run one or more sources in parallel",
  description: "If single sources fail, the answer is still 200: read `status` before `outputs`.",
  body: { name: "DataRequest", schema: DataRequest },
  answers: { description: "Every source ended.", schemas: { DataResponse } },

  start(received, arrivedAt, { startData }) {
    const asked = readRunFields(received);
    if (Object.keys(asked.sources).length === 0) throw new Fault("request.no_sources");
    return startData({ ...asked, arrivedAt });
  },
};
