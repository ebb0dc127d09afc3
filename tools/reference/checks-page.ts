import { CHECK_CODES, CHECKS, type CheckRow } from "../../src/composition/commands/check/findings.ts";
import { code, generated, page, table, type Page } from "./markdown.ts";

/** Every code of a finding, from the one list of them. */
export function checksPage(): Page {
  const rows = (asked: CheckRow["asked"]) =>
    CHECK_CODES.filter((name) => (CHECKS[name] as CheckRow).asked === asked).map((name) => {
      const { says, hint, stopsStart }: CheckRow = CHECKS[name];
      return [code(name), stopsStart === true ? "yes" : "no", says, hint];
    });
  const columns = ["code", "stops a start", "found when", "what to do"];
  return page(
    "docs/reference/checks.md",
    generated("src/composition/commands/check/findings.ts"),
    "# Checks",
    `What ${code("datarun check")} [can find](../guides/deploying.md#check-before-starting). The codes are stable.`,
    "## Always",
    table(columns, rows(undefined)),
    "Whether a port is free is not checked, nor whether a service already runs on the data directory; if one does, it is named.",
    `## With ${code("--production")}`,
    table(columns, rows("production")),
    `## With ${code("--connect")}`,
    table(columns, rows("connect")),
    `Origins with a ${code("*")} are left out. Each connection is tried for ${code("limits.expert.vendor_connect_ms")}, and nothing is sent to a vendor.`,
    `## With ${code("--json")}`,
    `One object: ${code("ok")}; ${code("findings")}, each with ${code("code")}, ${code("file")} and ${code("line")} (or null), ${code("says")} and ${code("hint")}; ${code("ignored")}, how many were left out; and ${code("facts")}, such as ${code("sync_ms")}, the median time in which the disk confirms a small write.`,
  );
}
