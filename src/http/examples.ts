import type { Example, RunExample } from "./route.ts";

/*
 * The examples of the contract. `test/start/mock.test.ts` sends each request to a mock and compares the answer, so they
 * use sources and functions of the catalog. A mock answers as the service does, but with `config.mode`.
 */

const transaction_id = "trx_01a21c71ce1c7c8c94002dc408b49025";
const organization_tuid = "org_01a21c6f3a407f1c8d52b09e6a7715c4";
const BUREAU = "example_bureau__company_report";

const SEVERAL = {
  context: "test",
  sources: {
    gleif__lei_record: true,
    companies_house__company_profile: { credentials: { api_key: "your key at the vendor" } },
    hibp__breached_account: true,
  },
};
const ORDERING = { sources: { [BUREAU]: true } };

export const DATA_EXAMPLES: Readonly<Record<string, RunExample>> = {
  several_sources: {
    summary: "Three sources at once: a record, no record, and a failure that can be retried",
    request: {
      config: SEVERAL,
      inputs: { lei: "529900W18LQJJN6SJ336", company_number: "99999999", email: "ada@example.com" },
    },
    answer: {
      transaction_id,
      config: SEVERAL,
      outputs: {
        gleif__lei_record: {
          lei: "5299000EXAMPLE000099",
          legal_name: "Example Trading GmbH",
          jurisdiction: "DE",
          entity_status: "ACTIVE",
          registered_as: "HRB 00000",
          registered_at: "RA000242",
          legal_address: {
            addressLines: ["Musterstrasse 1"],
            city: "Musterstadt",
            country: "DE",
            postalCode: "00000",
          },
          registration_status: "ISSUED",
          next_renewal: "2027-01-01T00:00:00Z",
        },
        companies_house__company_profile: {},
        hibp__breached_account: {},
      },
      status: {
        gleif__lei_record: { success: true, message: "Record found", match: true, response_time_ms: 212 },
        companies_house__company_profile: {
          success: true,
          message: "No record found",
          match: false,
          response_time_ms: 148,
        },
        hibp__breached_account: {
          success: false,
          message: "Adapter error: the vendor answered with status 503",
          match: false,
          response_time_ms: 96,
          failure: { kind: "vendor_5xx", retryable: true, charged: "no" },
        },
      },
      response_time_ms: 214,
    },
  },
  order: {
    summary: "A report that is ordered and not ready in time: it must not be ordered again",
    request: { config: ORDERING, inputs: { company_number: "00000003" } },
    answer: {
      transaction_id,
      config: { ...ORDERING, context: "dev" },
      outputs: { [BUREAU]: {} },
      status: {
        [BUREAU]: {
          success: false,
          message: "Adapter error: the vendor had not finished in time",
          match: false,
          response_time_ms: 29_120,
          failure: { kind: "pending", retryable: false, charged: "yes", order_id: "o-3", resumable: true },
        },
      },
      response_time_ms: 29_124,
    },
  },
  resumed_order: {
    summary: "The same report later, fetched by the number of its order",
    request: { config: ORDERING, inputs: { order_id: "o-3" } },
    answer: {
      transaction_id,
      config: { ...ORDERING, context: "dev" },
      outputs: {
        [BUREAU]: {
          company_number: "00000003",
          name: "EXAMPLE MILLS LIMITED",
          score: 40,
          as_of: "2026-03-02",
          order_id: "o-3",
        },
      },
      status: { [BUREAU]: { success: true, message: "Record found", match: true, response_time_ms: 310 } },
      response_time_ms: 313,
    },
  },
};

const WATERFALL = "dfunc_first_record";
const asking = (data_func: string | null, datafunc_response_passthrough = false) => ({
  sources: data_func === null ? {} : ORDERING.sources,
  data_func,
  datafunc_response_passthrough,
  context: "dev",
});
const WATERFALL_OUTPUT = {
  found: true,
  conclusive: true,
  source: BUREAU,
  record: {
    company_number: "00000001",
    name: "EXAMPLE TRADING LIMITED",
    score: 72,
    as_of: "2026-03-01",
    order_id: "o-1",
  },
  stopped_because: "record_found",
  asked: [{ source: BUREAU, result: "record", message: "Record found" }],
  not_asked: [],
};

export const FUNC_EXAMPLES: Readonly<Record<string, RunExample>> = {
  standard: {
    summary: "The standard mode",
    request: { config: { ...ORDERING, data_func: WATERFALL }, inputs: { company_number: "00000001" } },
    answer: {
      transaction_id,
      config: { ...asking(WATERFALL), organization_tuid },
      outputs: { [WATERFALL]: { output: WATERFALL_OUTPUT, pipes: {} } },
      status: { [WATERFALL]: { success: true, message: "Function completed", response_time_ms: 2_262 } },
      response_time_ms: 2_263,
    },
  },
  passthrough: {
    summary: "The passthrough mode: the function's own fields",
    request: {
      config: { ...ORDERING, data_func: WATERFALL, datafunc_response_passthrough: true },
      inputs: { company_number: "00000001" },
    },
    answer: { output: WATERFALL_OUTPUT, response_time_ms: 2_067 },
  },
  unknown_function: {
    summary: "No function has this identifier",
    request: { config: { ...ORDERING, data_func: "dfunc_first_recrod" }, inputs: { company_number: "00000001" } },
    answer: {
      transaction_id,
      config: { ...asking("dfunc_first_recrod"), organization_tuid },
      outputs: { dfunc_first_recrod: { output: {}, pipes: {} } },
      status: {
        dfunc_first_recrod: {
          success: false,
          message: "Data function not found: dfunc_first_recrod",
          response_time_ms: 0,
          failure: { kind: "unknown_function", retryable: false, charged: "no" },
        },
      },
      response_time_ms: 1,
    },
  },
  no_function: {
    summary: "No function is named, so none runs",
    request: { config: {} },
    answer: {
      transaction_id,
      config: { ...asking(null), organization_tuid },
      outputs: {},
      status: {},
      response_time_ms: 1,
    },
  },
};

export const STATUS_EXAMPLES: Readonly<Record<string, Example>> = {
  ok: {
    summary: "The process accepts requests",
    answer: {
      status: "OK",
      git_sha: "374ebafd0c1b8f2f6a9d3e5b7c80f1a2d4e6b9c3",
      git_derived_version: "374ebaf",
    },
  },
};
