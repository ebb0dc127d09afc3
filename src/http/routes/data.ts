import { Type } from "../../terms/schema/type.ts";
import { Fault } from "../../terms/fault.ts";
import { SourceFailureKind, sourceFailure } from "../failure-schema.ts";
import type { RunRoute } from "../route.ts";
import { DATA_EXAMPLES } from "../examples.ts";
import {
  answeredConfig,
  anyObject,
  CONFIG_FIELDS,
  mapOf,
  Milliseconds,
  readRunFields,
  REQUEST_FIELDS,
  Sources,
  TransactionId,
} from "../run-fields.ts";

const TITLE = { title: "Data run request" };

/** A missing or empty `config.sources` is not a schema error: it is answered with 500. */
const DataRequest = Type.Object({ ...REQUEST_FIELDS, config: Type.Object({ ...CONFIG_FIELDS }) }, TITLE);

/** The contract requires `sources`, so that a caller's compiler finds a request that would be answered with 500. */
const PublishedRequest = Type.Object(
  {
    ...REQUEST_FIELDS,
    config: Type.Object({ ...CONFIG_FIELDS, sources: Type.Unsafe<object>({ ...Sources, minProperties: 1 }) }),
  },
  TITLE,
);

const SourceStatus = Type.Object(
  {
    success: Type.Boolean({ description: "Whether the source completed." }),
    message: Type.String({ description: "Outcome text; not to be parsed." }),
    match: Type.Boolean({ description: "Whether the vendor found a record." }),
    response_time_ms: Milliseconds,
    failure: Type.Optional(sourceFailure),
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

export const dataRoute: RunRoute = {
  method: "POST",
  path: "/data",
  operationId: "runData",
  summary: "Run one or more sources in parallel",
  description: "The answer is 200 even if sources fail: read `status` before `outputs`.",
  body: { name: "DataRequest", schema: DataRequest, published: PublishedRequest },
  parts: { SourceFailureKind },
  examples: DATA_EXAMPLES,
  answers: { description: "Every source ended.", schemas: { DataResponse } },

  start(received, arrivedAt, { startData }) {
    const asked = readRunFields(received);
    if (Object.keys(asked.sources).length === 0) throw new Fault("request.no_sources");
    return startData({ ...asked, arrivedAt });
  },
};
