import type { Verified } from "../../../ledger/read/verified.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { count, listed, listOf, oneOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

const MESSAGES = {
  altered: "altered: its rows are not what was written",
  unreadable: "unreadable: its rows cannot be read any more",
  missing: "missing: it is gone without having been deleted",
} as const;

const NAMES = { shared: "the shared ledger", journal: "this machine's journal" } as const;

export default defineVerb({
  summary: "Check that every run of the ledger is as it was written",
  description:
    "It can be used while services write. It lists runs that are damaged or missing, and problems that the database itself finds with its file or indexes. Where machines share a ledger, it checks the shared ledger and the journal in this data directory. The exit code is 1 if there is any problem.",
  example: "",
  input: {},
  role: "viewer",
  changes: false,
  needs: ["ledgersHere"],

  result: listed("ledgers", {
    place: oneOf("shared", "journal"),
    ok: count,
    without_checksum: count,
    damaged: count,
    missing: count,
    findings: rowsOf({ what: text, transaction_id: orNull(text), run: orNull(count) }),
    structure: listOf(text),
    cannot_be_read: orNull(text),
  }),

  async run(_input, { ledgersHere, onProgress }) {
    const here = await ledgersHere();
    const ledgers = [];
    for (const { place, open } of here) {
      const verified = await open()
        .then((ledger) => ledger.verify(onProgress))
        .catch((error: unknown) => {
          // One ledger that cannot be examined does not stop the others.
          if (here.length > 1 && error instanceof OperatorError) return error.message;
          throw error;
        });
      ledgers.push({ place, ...toWire(verified) });
    }
    return { ledgers };
  },

  hasFailed: ({ ledgers }) => ledgers.some(isWrong),

  render: ({ ledgers }) =>
    ledgers
      .map((ledger) => (ledgers.length > 1 ? `${NAMES[ledger.place]}:\n${linesOf(ledger)}` : linesOf(ledger)))
      .join("\n"),
});

type VerifiedLedger = ReturnType<typeof toWire> & { readonly place: keyof typeof NAMES };

/** @param verified a string is the reason why the ledger could not be examined */
function toWire(verified: Verified | string) {
  const isText = typeof verified === "string";
  const { ok, unchecked, damaged, missing, findings, structure } = isText ? NOTHING_CHECKED : verified;
  return {
    ok,
    without_checksum: unchecked,
    damaged,
    missing,
    findings: findings.map(({ what, transactionId, number }) => ({ what, transaction_id: transactionId, run: number })),
    structure: [...structure],
    cannot_be_read: isText ? verified : null,
  };
}

const NOTHING_CHECKED: Verified = { ok: 0, unchecked: 0, damaged: 0, missing: 0, findings: [], structure: [] };

function isWrong({ damaged, missing, structure, cannot_be_read: reason }: Omit<VerifiedLedger, "place">): boolean {
  return damaged > 0 || missing > 0 || structure.length > 0 || reason !== null;
}

function linesOf({
  place,
  ok,
  without_checksum,
  damaged,
  missing,
  findings,
  structure,
  cannot_be_read,
}: VerifiedLedger): string {
  if (cannot_be_read !== null) return `${cannot_be_read}\n`;
  const named = findings.map(({ what, transaction_id, run }) => {
    const which = transaction_id ?? (run === null ? "a run" : `run number ${run}`);
    return `${which}  ${MESSAGES[what]}`;
  });
  const more = damaged + missing - findings.length;
  return [
    ...named,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...structure.map((says) => `${place === "shared" ? "the database" : "the files"}: ${says}`),
    ...(damaged + missing > 0 ? [`${damaged} damaged, ${missing} missing`] : []),
    ...(without_checksum > 0 ? [`${without_checksum} readable, written before runs had checksums`] : []),
    `ok ${ok} ${ok === 1 ? "run" : "runs"}`,
    "",
  ].join("\n");
}
