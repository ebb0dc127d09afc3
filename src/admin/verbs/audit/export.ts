import { csvLine } from "../../../terms/text/csv-line.ts";
import { Type } from "../../../terms/schema/type.ts";
import { auditFilterInputs, toAuditQuery, toWireDetail } from "../../audit-wire.ts";
import { findActs, type FoundActs } from "../../find-acts.ts";
import type { AuditEntry } from "../../ports.ts";
import { defineStreamedVerb } from "../../verb.ts";
import { toWireTime } from "../../result-schemas.ts";

type Format = "csv" | "jsonl";
const MEDIA_TYPES: Readonly<Record<Format, string>> = { csv: "text/csv", jsonl: "application/jsonl" };
const ENTRIES_A_PIECE = 500;

export default defineStreamedVerb({
  summary: "Write what operators changed to a file, newest first",
  description:
    "One entry per line, without secrets. In the format csv the details of an entry are JSON in one cell. Names that objects have now are left out, so the same entries are always written in the same way.",
  example: "2026-03.csv --from 2026-03-01 --to 2026-04-01",
  input: {
    format: Type.Optional(Type.Enum(["csv", "jsonl"], { description: "csv by default" })),
    ...auditFilterInputs,
  },
  role: "viewer",
  changes: false,
  needs: ["store"],
  interrupted: "The file is not complete: delete it, and give the same command again.",

  stream: {
    mediaTypes: Object.values(MEDIA_TYPES),
    async open({ format = "csv", ...filter }, { store, onProgress }) {
      const found = await findActs(await store(), toAuditQuery(filter));
      const pieces = piecesOf(found, format, onProgress);
      return { mediaType: MEDIA_TYPES[format], fileName: `audit.${format}`, pieces };
    },
  },
});

async function* piecesOf(found: FoundActs, format: Format, onProgress: (what: string, done: number) => void) {
  if (format === "csv") yield csvLine(Object.keys(LINE));
  let [entries, after]: [number, string | undefined] = [0, undefined];
  for (;;) {
    const page: readonly AuditEntry[] = await found.entries({
      limit: ENTRIES_A_PIECE,
      ...(after !== undefined && { after }),
    });
    if (page.length > 0) yield page.map((entry) => toLine(entry, format)).join("");
    entries += page.length;
    onProgress("entries written", entries);
    if (page.length < ENTRIES_A_PIECE) return { format, entries };
    after = page.at(-1)!.id;
  }
}

/** The columns of a line, in order. */
const LINE = {
  id: ({ id }: AuditEntry) => id,
  at: ({ wallAt }: AuditEntry) => toWireTime(wallAt),
  who: ({ who }: AuditEntry) => who,
  via: ({ via }: AuditEntry) => via,
  what: ({ what }: AuditEntry) => what,
  organization_tuid: ({ organizationId }: AuditEntry) => organizationId,
  subject: ({ subjectId }: AuditEntry) => subjectId,
  detail: ({ detail }: AuditEntry) => toWireDetail(detail),
};

function toLine(entry: AuditEntry, format: Format): string {
  const values = Object.entries(LINE).map(([name, of]) => [name, of(entry)] as const);
  if (format === "jsonl") return `${JSON.stringify(Object.fromEntries(values))}\n`;
  return csvLine(
    values.map(([, value]) => (typeof value === "object" && value !== null ? JSON.stringify(value) : value)),
  );
}
