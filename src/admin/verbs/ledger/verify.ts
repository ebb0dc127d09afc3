import { Type } from "../../../terms/type.ts";
import { defineVerb } from "../../verb.ts";

const SAYS = {
  altered: "altered: its rows are not what was written",
  unreadable: "unreadable: its rows cannot be read any more",
  missing: "missing: it is gone although nobody deleted it",
} as const;

export default defineVerb({
  summary: "Check that every run of the ledger is as it was written",
  description:
    "It can be used while services write. It lists runs that are damaged or missing, and problems that the database itself finds with its file or indexes. The exit code is 1 if there is any.",
  example: "",
  input: Type.Object({}, { additionalProperties: false }),
  changes: false,
  needs: ["ledger"],

  async run(_input, { ledger }) {
    const { ok, unchecked, damaged, missing, findings, structure } = await (await ledger()).verify();
    return {
      ok,
      without_checksum: unchecked,
      damaged,
      missing,
      findings: findings.map(({ what, transactionId, number }) => ({
        what,
        transaction_id: transactionId,
        run: number,
      })),
      structure: [...structure],
    };
  },

  hasFailed: ({ damaged, missing, structure }) => damaged > 0 || missing > 0 || structure.length > 0,

  render: ({ ok, without_checksum, damaged, missing, findings, structure }) => {
    const named = findings.map(({ what, transaction_id, run }) => {
      const which = transaction_id ?? (run === null ? "a run" : `run number ${run}`);
      return `${which}  ${SAYS[what]}`;
    });
    const more = damaged + missing - findings.length;
    return [
      ...named,
      ...(more > 0 ? [`and ${more} more`] : []),
      ...structure.map((says) => `the files: ${says}`),
      ...(damaged + missing > 0 ? [`${damaged} damaged, ${missing} missing`] : []),
      ...(without_checksum > 0 ? [`${without_checksum} readable, written before runs had checksums`] : []),
      `ok ${ok} ${ok === 1 ? "run" : "runs"}`,
      "",
    ].join("\n");
  },
});
