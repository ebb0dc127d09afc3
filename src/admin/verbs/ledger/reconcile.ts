import { Type } from "typebox";
import { transactionInput, unknownRun } from "../../ledger-inputs.ts";
import { OperatorError } from "../../ports.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Settle an unknown charge after a look at the vendor's invoice",
  description:
    "Who settled it, when and why is kept with the run. It can be settled again; what a vendor itself has said is never overruled.",
  example: 'trx_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --call 0 --charged no --note "not on invoice 4711"',
  input: Type.Object(
    {
      transaction: transactionInput,
      call: Type.Integer({ minimum: 0, description: "Number of the call in its run, from 0" }),
      attempt: Type.Optional(
        Type.Integer({ minimum: 1, description: "Which request of the call; every unknown one unless given" }),
      ),
      charged: Type.Enum(["yes", "no"], { description: "Whether the vendor charged for it" }),
      note: Type.String({ minLength: 1, maxLength: 500, description: "What it rests on, such as the invoice" }),
    },
    { additionalProperties: false },
  ),
  positional: ["transaction"],
  changes: true,

  async run({ transaction, call, attempt, charged, note }, { act, ledger, store }) {
    const reader = await ledger();
    const run = await reader.show(transaction);
    if (run === null) throw unknownRun();
    const settled = await reader.reconcile({
      transactionId: transaction,
      ordinal: call,
      ...(attempt !== undefined && { attempt }),
      charged,
      decidedBy: act.who,
      decidedAt: act.wallAt,
      note,
    });
    if (settled === null) throw new OperatorError("refused", "There is no unknown charge to settle there.");
    const detail = { call, attempt: attempt ?? null, charged, note };
    const organizationId = run.run.organization_id === "" ? null : run.run.organization_id;
    await (await store()).recordAct(act, { organizationId, subjectId: transaction, detail });
    return { transaction_id: transaction, call, requests: settled.attempts, call_charged: settled.charged };
  },
});
