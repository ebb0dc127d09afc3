import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { generated, page, type Page } from "./markdown.ts";

/** A record names one of these below its title. */
const SUBJECTS = [
  "Public HTTP",
  "Simulation",
  "Calls to vendors",
  "Ledger and journal",
  "Charges and money",
  "Limits and budgets",
  "JSON, memory and fairness",
  "Functions",
  "Sources",
  "Schemas",
  "Credentials and keys",
  "Operators and console",
  "Command line",
  "Storage",
  "Metrics, log and traces",
  "Structure and tests",
];

interface DecisionRecord {
  readonly file: string;
  readonly title: string;
  readonly subject: string;
}

/** The list of decision records by subject, with their own titles. */
export function decisionsPage(root: string): Page {
  const records = globSync("docs/decisions/[0-9]*.md", { cwd: root })
    .sort()
    .map((path) => readRecord(basename(path), readFileSync(join(root, path), "utf8")));
  const sections = SUBJECTS.flatMap((subject) => [
    `## ${subject}`,
    records
      .filter((record) => record.subject === subject)
      .map(({ title, file }) => `- [${title}](${file})`)
      .join("\n"),
  ]);
  return page(
    "docs/decisions/README.md",
    generated("the records beside it"),
    "# Decisions",
    "What was decided where several options were open, and what would change the decision. [The form of a record](../README.md#decisions).",
    ...sections,
  );
}

function readRecord(file: string, text: string): DecisionRecord {
  const [, title, subject] = /^# (.+)\n\nSubject: (.+)\n/.exec(text) ?? [];
  if (title === undefined || subject === undefined || !SUBJECTS.includes(subject))
    throw new Error(`${file} does not begin with a title and a subject of tools/reference/decisions-page.ts`);
  return { file, title, subject };
}
