import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { generated, page, type Page } from "./markdown.ts";

/** The list of decision records, by their own titles. */
export function decisionsPage(root: string): Page {
  const rows = globSync("docs/decisions/[0-9]*.md", { cwd: root })
    .sort()
    .map((file) => `- [${/^# (.*)$/m.exec(readFileSync(join(root, file), "utf8"))![1]!}](${basename(file)})`);
  return page(
    "docs/decisions/README.md",
    generated("the records beside it"),
    "# Decisions",
    "What was decided where several options were open, and what would make us decide again.",
    rows.join("\n"),
  );
}
