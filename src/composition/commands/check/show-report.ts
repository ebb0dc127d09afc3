import { renderResult } from "../../../admin/cli/render.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { printable } from "../../../terms/text/printable.ts";
import type { CheckCode, CheckFacts, CheckFinding } from "./findings.ts";

export interface Checked {
  readonly findings: readonly CheckFinding[];
  readonly ignored: readonly CheckFinding[];
  readonly facts: CheckFacts;
}

export function toChecked({ findings, facts }: Omit<Checked, "ignored">, ignore: readonly CheckCode[]): Checked {
  const isIgnored = ({ code }: CheckFinding) => ignore.includes(code);
  return { findings: findings.filter((it) => !isIgnored(it)), ignored: findings.filter(isIgnored), facts };
}

export function checkedJson({ findings, ignored, facts }: Checked): JsonObject {
  return {
    ok: findings.length === 0,
    findings: findings.map((finding) => ({ ...finding })),
    ignored: ignored.length,
    facts,
  };
}

/** Prints each finding as `file:line: sentence`, with the correction on the next line. */
export function checkedText({ findings, ignored, facts }: Checked, typed: (text: string) => string): string {
  const blocks = findings.map(
    (finding) =>
      `${typed(printable(withLocation(finding)))}\n  ${finding.code}: ${typed(finding.hint).replaceAll("`", "")}\n`,
  );
  const left = ignored.length === 0 ? "" : `, ${countText(ignored.length)} ignored`;
  const summary = findings.length === 0 ? "Nothing found" : countText(findings.length);
  return [...blocks, `${summary}${left}.\n`, renderResult(facts)].join("\n");
}

/** The sentences about broken files already contain file and line. */
function withLocation({ file, line, says }: CheckFinding): string {
  return file === null || says.includes(file) ? says : `${file}:${line === null ? "" : `${line}:`} ${says}`;
}

function countText(count: number): string {
  return `${count} ${count === 1 ? "finding" : "findings"}`;
}
