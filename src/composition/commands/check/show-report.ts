import { renderResult } from "../../../admin/cli/render.ts";
import { EXIT } from "../../../admin/cli/report-failure.ts";
import { differencesText, toWireDifferences } from "../../../admin/versions/compare-texts.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { printable, printableLines } from "../../../terms/text/printable.ts";
import { versionName } from "../../../terms/version.ts";
import type { CheckCode, CheckFacts, CheckFinding, VersionChange } from "./findings.ts";

export interface Checked {
  readonly findings: readonly CheckFinding[];
  readonly ignored: readonly CheckFinding[];
  readonly facts: CheckFacts;
  readonly changes?: readonly VersionChange[];
}

export function toChecked(
  { findings, facts, changes }: Omit<Checked, "ignored">,
  ignore: readonly CheckCode[],
): Checked {
  const isIgnored = ({ code }: CheckFinding) => ignore.includes(code);
  return {
    findings: findings.filter((it) => !isIgnored(it)),
    ignored: findings.filter(isIgnored),
    facts,
    ...(changes !== undefined && { changes }),
  };
}

/**
 * 0 for nothing, 1 for any finding, 3 if functions or sources are new or changed. What was removed does not count,
 * because it stays registered for ever.
 */
export function exitCodeOf({ findings, changes = [] }: Checked): number {
  if (findings.length > 0) return EXIT.failed;
  return changes.some(({ change }) => change !== "removed") ? EXIT_DIFFERS : EXIT.done;
}

/** 2 is a usage error. */
const EXIT_DIFFERS = 3;

export function checkedJson({ findings, ignored, facts, changes }: Checked): JsonObject {
  return {
    ok: findings.length === 0,
    findings: findings.map((finding) => ({ ...finding })),
    ignored: ignored.length,
    facts,
    ...(changes !== undefined && { changes: changes.map(toWireChange) }),
  };
}

function toWireChange({ kind, id, change, before, after, ...differences }: VersionChange): JsonObject {
  const refs = { before: before && { ...before }, after: after && { ...after } };
  return { kind, id, change, ...refs, ...toWireDifferences(differences) };
}

/** Prints each finding as `file:line: sentence`, with the correction on the next line. */
export function checkedText({ findings, ignored, facts, changes }: Checked, typed: (text: string) => string): string {
  const blocks = findings.map(
    (finding) =>
      `${typed(printable(withLocation(finding)))}\n  ${finding.code}: ${typed(finding.hint).replaceAll("`", "")}\n`,
  );
  const left = ignored.length === 0 ? "" : `, ${countText(ignored.length)} ignored`;
  const summary = findings.length === 0 ? "Nothing found" : countText(findings.length);
  const changed = changes === undefined ? [] : [...changes.map(changeText), `${countChanges(changes)}\n`];
  return [...blocks, ...changed, `${summary}${left}.\n`, renderResult(facts)].join("\n");
}

function changeText({ kind, id, change, before, after, ...differences }: VersionChange): string {
  const refs = [before, after].filter((ref) => ref !== null).map(versionName);
  const head = `${kind} ${id}: ${change}, ${refs.join(" -> ")}\n`;
  return change === "changed" ? `${head}\n${printableLines(differencesText(differences))}` : head;
}

function countChanges(changes: readonly VersionChange[]): string {
  const counts = (["changed", "new", "removed"] as const)
    .map((change) => [change, changes.filter((each) => each.change === change).length] as const)
    .filter(([, count]) => count > 0)
    .map(([change, count]) => `${count} ${change}`);
  return `Compared with the store: ${counts.length === 0 ? "no difference" : counts.join(", ")}.`;
}

/** The sentences about broken files already contain file and line. */
function withLocation({ file, line, says }: CheckFinding): string {
  return file === null || says.includes(file) ? says : `${file}:${line === null ? "" : `${line}:`} ${says}`;
}

function countText(count: number): string {
  return `${count} ${count === 1 ? "finding" : "findings"}`;
}
