import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { CHARGE_MODELS, chargeOfCall, chargesOf, type CallEnd, type SentRequest } from "./charge.ts";
import { type Charged, Fault, FAULTS, type FaultCode } from "../fault.ts";

const WENT_UNANSWERED: SentRequest = {
  free: false,
  status: null,
  isAnswer: false,
  hasEnded: false,
  statedCharge: null,
  per: null,
};
const REFUSED_BY = (status: number): SentRequest => ({ ...WENT_UNANSWERED, status, hasEnded: true });
const ANSWERED: SentRequest = { ...WENT_UNANSWERED, status: 200, isAnswer: true, hasEnded: true };
const FREE: SentRequest = { ...ANSWERED, free: true };

const RECORD: CallEnd = { match: true };
const NO_RECORD: CallEnd = { match: false };
const reports = (code: FaultCode, charged?: Charged): Fault => new Fault(code, {}, { reported: { charged } });

/** The rows of the page, in order: the requests that each describes, and how their call ended. */
const ROWS: readonly (readonly (readonly [SentRequest, CallEnd])[])[] = [
  [
    [FREE, RECORD],
    [{ ...WENT_UNANSWERED, free: true }, new Fault("source.timeout")],
  ],
  [
    [WENT_UNANSWERED, new Fault("source.connection_lost")],
    [WENT_UNANSWERED, RECORD],
  ],
  [301, 302, 304].map((status) => [REFUSED_BY(status), new Fault("source.contract")]),
  [401, 403, 429].map((status) => [REFUSED_BY(status), new Fault("source.credential_rejected")]),
  [400, 404, 422, 500, 503].map((status) => [REFUSED_BY(status), new Fault("source.vendor_5xx")]),
  [[REFUSED_BY(999), new Fault("source.contract")]],
  [[{ ...ANSWERED, hasEnded: false }, new Fault("source.connection_lost")]],
  [
    [ANSWERED, RECORD],
    [{ ...ANSWERED, status: 404 }, RECORD],
  ],
  [
    [ANSWERED, NO_RECORD],
    [{ ...ANSWERED, status: 404 }, NO_RECORD],
  ],
  ["source.contract", "source.no_room_for_answer", "source.collect", "source.unrecorded", "source.timeout"].map(
    (code) => [ANSWERED, new Fault(code as FaultCode)],
  ),
  ["source.credential_rejected", "source.rate_limited", "source.unreachable"].map((code) => [
    ANSWERED,
    reports(code as FaultCode),
  ]),
  ["source.vendor_input", "source.vendor_failure", "source.vendor_refusal", "source.vendor_timeout"].map((code) => [
    ANSWERED,
    reports(code as FaultCode),
  ]),
];

test("the table of charges matches the code", () => {
  const page = readFileSync(new URL("../../../docs/explanation/charges-and-records.md", import.meta.url), "utf8");
  const table = [...page.matchAll(/^\| ([^|`]+) \| (yes|no|unknown) \| (yes|no|unknown) \| (yes|no|unknown) \|$/gm)];
  assert.equal(table.length, ROWS.length);
  for (const [at, [, what, ...told]] of table.entries()) {
    for (const [request, end] of ROWS[at]!) {
      const charges = (["per_call", "per_success", "per_match"] as const).map((model) =>
        chargesOf([request], model, end),
      );
      assert.deepEqual(charges.flat(), told, what);
      assert.deepEqual(chargesOf([request], "free", end), ["no"]);
    }
  }
});

test("a billed order and its free polls count as one yes, however they end", () => {
  const poll = FREE;
  assert.deepEqual(chargesOf([FREE, ANSWERED, poll, poll, poll], "per_call", RECORD), ["no", "yes", "no", "no", "no"]);
  const late = { ...WENT_UNANSWERED, free: true };
  assert.deepEqual(chargesOf([ANSWERED, poll, late], "per_call", new Fault("source.timeout")), ["yes", "no", "no"]);
  // A failure reported by a poll concerns the order.
  assert.deepEqual(chargesOf([ANSWERED, poll], "per_call", reports("source.vendor_failure")), ["unknown", "no"]);
  assert.deepEqual(chargesOf([ANSWERED, poll], "per_call", reports("source.vendor_failure", "no")), ["no", "no"]);
});

test("a poll whose answer says that it is not billed costs nothing, and the one that delivers does", () => {
  const notYet: SentRequest = { ...ANSWERED, status: 202, statedCharge: "no" };
  assert.deepEqual(chargesOf([FREE, notYet, notYet, ANSWERED], "per_call", RECORD), ["no", "no", "no", "yes"]);
});

test("a reported failure concerns one request, and the author's statement about another stands", () => {
  const limited = reports("source.rate_limited");
  assert.deepEqual(chargesOf([ANSWERED, ANSWERED], "per_call", limited), ["yes", "no"]);
  assert.deepEqual(chargesOf([ANSWERED, { ...ANSWERED, statedCharge: "yes" }], "per_call", limited), ["yes", "yes"]);
  assert.deepEqual(chargesOf([ANSWERED, { ...ANSWERED, statedCharge: "no" }], "per_call", limited), ["no", "no"]);
  assert.deepEqual(chargesOf([ANSWERED, WENT_UNANSWERED], "per_call", limited), ["no", "unknown"]);
  assert.deepEqual(chargesOf([WENT_UNANSWERED], "per_call", reports("source.vendor_failure", "no")), ["unknown"]);
  assert.deepEqual(chargesOf([ANSWERED], "per_match", reports("source.vendor_failure", "yes")), ["yes"]);
  assert.deepEqual(chargesOf([REFUSED_BY(500)], "per_call", reports("source.rate_limited")), ["unknown"]);
  assert.deepEqual(chargesOf([REFUSED_BY(500)], "per_call", reports("source.rate_limited", "no")), ["no"]);
});

const anyCharge = fc.constantFrom<Charged>("yes", "no", "unknown");
/**
 * Every request that the outbound client can observe: a request without a status has not ended, and every 2xx is an
 * answer.
 */
const anyRequest: fc.Arbitrary<SentRequest> = fc
  .record({
    free: fc.boolean(),
    status: fc.constantFrom(null, 200, 202, 204, 302, 304, 400, 401, 403, 404, 422, 429, 500, 503, 504, 600, 999),
    reads: fc.boolean(),
    hasEnded: fc.boolean(),
    said: fc.option(anyCharge, { freq: 6 }),
    per: fc.constant(null),
  })
  .map(({ free, status, reads, hasEnded, said, per }) => ({
    per,
    free,
    status,
    isAnswer: status !== null && ((status >= 200 && status < 300) || reads),
    hasEnded: status !== null && hasEnded,
    statedCharge: status === null ? null : said,
  }));
const anyRequests = fc.array(anyRequest, { maxLength: 8 });
const anyModel = fc.constantFrom(...CHARGE_MODELS);
const sourceFault = fc.constantFrom(
  ...Object.keys(FAULTS).filter((code) => code.startsWith("source.")),
) as fc.Arbitrary<FaultCode>;
const unreported = sourceFault.map((code): CallEnd => new Fault(code));
const anyCompletion = fc.constantFrom(RECORD, NO_RECORD);
const anyEnd = fc.oneof(
  anyCompletion,
  unreported,
  fc.tuple(sourceFault, fc.option(anyCharge, { nil: undefined })).map(([code, charged]) => reports(code, charged)),
);

test("a request's charge is the same whatever other requests its call made, in whatever order", () => {
  fc.assert(
    fc.property(anyRequests, anyModel, fc.oneof(anyCompletion, unreported), (requests, model, end) => {
      const alone = requests.flatMap((request) => chargesOf([request], model, end));
      assert.deepEqual(chargesOf(requests, model, end), alone);
      assert.deepEqual(chargesOf(requests.toReversed(), model, end), alone.toReversed());
    }),
  );
});

test("the fault of a call does not change the charge of a request, unless the vendor itself reports it", () => {
  fc.assert(
    fc.property(anyRequests, anyModel, unreported, unreported, (requests, model, one, other) => {
      assert.deepEqual(chargesOf(requests, model, one), chargesOf(requests, model, other));
    }),
  );
});

test("a vendor's report changes at most one request, and none that is free, unanswered or declared by the author", () => {
  fc.assert(
    fc.property(
      anyRequests,
      anyModel,
      sourceFault,
      fc.option(anyCharge, { nil: undefined }),
      (requests, model, code, charged) => {
        const told = chargesOf(requests, model, reports(code, charged));
        const else_ = chargesOf(requests, model, new Fault(code));
        const changed = requests.filter((_, at) => told[at] !== else_[at]);
        assert.ok(changed.length <= 1);
        for (const { free, hasEnded, statedCharge: said } of changed)
          assert.deepEqual([free, hasEnded, said], [false, true, null]);
      },
    ),
  );
});

test("a call is charged if a request of it is, and unknown if none is and one is unknown", () => {
  fc.assert(
    fc.property(anyRequests, anyModel, anyEnd, (requests, model, end) => {
      const charges = chargesOf(requests, model, end);
      const expected = (["yes", "unknown"] as const).find((charged) => charges.includes(charged)) ?? "no";
      assert.equal(chargeOfCall(charges), expected);
      assert.equal(chargeOfCall(charges.toReversed()), expected);
    }),
  );
});

test("nothing free, refused or redirected is charged, and a request without HTTP is never a yes or a no", () => {
  fc.assert(
    fc.property(anyRequests, anyModel, anyEnd, (requests, model, end) => {
      for (const [at, charged] of chargesOf(requests, model, end).entries()) {
        const { free, status, isAnswer, hasEnded, statedCharge: said } = requests[at]!;
        if (said !== null) assert.equal(charged, said);
        else if (free || model === "free") assert.equal(charged, "no");
        else if (status === null || (isAnswer && !hasEnded)) assert.equal(charged, "unknown");
        else if (
          !isAnswer &&
          (end instanceof Fault ? end.reported : null) === null &&
          [302, 304, 401, 403, 429].includes(status)
        )
          assert.equal(charged, "no");
      }
    }),
  );
});

test("a record costs no less under a model that bills more", () => {
  const amount: Readonly<Record<Charged, readonly [number, number]>> = { no: [0, 0], unknown: [0, 1], yes: [1, 1] };
  fc.assert(
    fc.property(anyRequests, anyEnd, (requests, end) => {
      const [call, success, match] = (["per_call", "per_success", "per_match"] as const).map((model) =>
        chargesOf(requests, model, end),
      );
      for (const at of requests.keys()) {
        const most = (charged: Charged) => amount[charged][1];
        assert.ok(most(call![at]!) >= most(success![at]!) && most(success![at]!) >= most(match![at]!));
      }
    }),
  );
});

test("what a contract bills replaces what the source declares, in every case", () => {
  const models = fc.constantFrom(...CHARGE_MODELS);
  fc.assert(
    fc.property(fc.array(anyRequest), models, models, anyEnd, (requests, model, per, end) => {
      const told = requests.map((request) => ({ ...request, per }));
      assert.deepEqual(chargesOf(told, model, end), chargesOf(requests, per, end));
    }),
  );
});
