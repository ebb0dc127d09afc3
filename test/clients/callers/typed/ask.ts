import { client, DatarunError, resume, retryable, type SourceResult } from "./client/index.js";

const [url = "", token = "", workflow = "", stub = "", closed = "", isMock = ""] = process.argv.slice(2);
const datarun = client({ url, token, workflow });

/** How a result narrows. */
function say(result: SourceResult<"google__phone_number"> | undefined): string {
  if (result === undefined) return "not asked";
  if (!result.success) return `failed ${result.failure?.kind}`;
  return result.match ? result.output.e164 : `no record ${JSON.stringify(result.output)}`;
}

/** What is known of a request that has no answer. */
async function refusal(asked: Promise<unknown>): Promise<object> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof DatarunError)) throw error;
    const { code, status, requestId, clientRequestId, details, mayHaveRun } = error;
    const known = { code, status, request: requestId?.slice(0, 4) ?? null, details: details.map(({ path }) => path) };
    return {
      ...known,
      mine: clientRequestId.length > 30 ? "invented" : clientRequestId,
      retryable: error.retryable,
      mayHaveRun,
    };
  }
  return {};
}

const phone = { sources: { google__phone_number: true }, inputs: { phone: "+44 20 7946 0958" } } as const;
const answer = await datarun.data({
  sources: { google__phone_number: true, iptoasn__ip_country: {}, ibantools__bank_account: true },
  inputs: { phone: "+44 20 7946 0958", ip: "10.0.0.1", iban: "" },
  context: "test",
  requestId: `found-${isMock}`,
});
const { google__phone_number, iptoasn__ip_country, ibantools__bank_account } = answer.results;
const run = await datarun.func("dfunc_contact_check", { phone: "+44 20 7946 0958" });
const wrong = client({ url, token: "drt_wrong", workflow });
const stubbed = client({ url: stub, token, workflow });
for (let requests = 0; requests < 5; requests += 1) await refusal(stubbed.data(phone));
const seen: Record<string, unknown> = {
  found: say(google__phone_number),
  noRecord: [iptoasn__ip_country.success, iptoasn__ip_country.match],
  failed: ibantools__bank_account.success ? null : ibantools__bank_account.failure?.kind,
  retryable: retryable(answer),
  resume: resume(answer),
  context: answer.config.context,
  ids: [answer.transaction_id === answer.requestId, answer.clientRequestId],
  verdict: run.result.success ? run.result.output.verdict : run.result.failure?.kind,
  401: await refusal(wrong.data(phone)),
  422: await refusal(datarun.data({ ...phone, context: "nonsense" as "test" })),
  500: await refusal(datarun.data({ sources: {}, inputs: {} })),
  busy: await refusal(stubbed.data(phone)),
  odd: await refusal(stubbed.data({ ...phone, requestId: "odd" })),
  cut: await refusal(stubbed.data({ ...phone, requestId: "cut" })),
  never: await refusal(stubbed.data({ ...phone, requestId: "never", timeoutMs: 200 })),
  closed: await refusal(client({ url: closed, token, workflow }).data(phone)),
};

if (isMock === "mock") {
  const simulate = { hibp__breached_account: "vendor_5xx" };
  const several = await datarun.data({
    sources: { google__phone_number: true, hibp__breached_account: true, example_bureau__company_report: true },
    inputs: { phone: "+44 20 7946 0958", email: "ada@example.com", company_number: "00000003", ...{ simulate } },
  });
  const again = retryable(several);
  const [order] = resume(several);
  const later = order && (await datarun.data(order));
  const report = later?.results.example_bureau__company_report;
  seen["again"] = again && [Object.keys(again.sources), say((await datarun.data(again)).results.google__phone_number)];
  seen["order"] = [Object.keys(order?.sources ?? {}), order?.inputs];
  seen["report"] = report?.success && report.match ? report.output.name : null;
}
console.log(JSON.stringify(seen));
