import type { ComponentType } from "preact";
import { later } from "../parts/later.tsx";
import { RunPage } from "./run/run-page.tsx";
import { AccessPage } from "./access/access-page.tsx";
import { CredentialsPage } from "./credentials/credentials-page.tsx";
import { FunctionListPage } from "./functions/function-list-page.tsx";
import { FunctionPage } from "./functions/function-page.tsx";
import { OneRunPage } from "./runs/one-run-page.tsx";
import { RunsPage } from "./runs/runs-page.tsx";
import { SourceListPage } from "./sources/source-list-page.tsx";
import { SourcePage } from "./sources/source-page.tsx";
import { OverviewPage } from "./overview/overview-page.tsx";

interface PageEntry {
  /** `:name` is a parameter of the path, which the page gets as a property. */
  readonly path: string;
  /** The label in the navigation. Pages without a label are reached by links. */
  readonly label?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- each page names the parts of its own path
  readonly page: ComponentType<any>;
}

/** All pages in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  { path: "/", label: "Overview", page: OverviewPage },
  { path: "/run", label: "Run", page: RunPage },
  { path: "/runs", label: "Runs", page: RunsPage },
  { path: "/runs/:id", page: OneRunPage },
  { path: "/sources", label: "Sources", page: SourceListPage },
  { path: "/sources/:id", page: SourcePage },
  { path: "/sources/:id/diff", page: later(async () => (await import("./seldom-shown.ts")).SourceDiffPage) },
  { path: "/functions", label: "Functions", page: FunctionListPage },
  { path: "/functions/:id", page: FunctionPage },
  { path: "/functions/:id/diff", page: later(async () => (await import("./seldom-shown.ts")).FunctionDiffPage) },
  { path: "/credentials", label: "Credentials", page: CredentialsPage },
  {
    path: "/credentials/new",
    page: later(async () => (await import("./seldom-shown.ts")).NewCredentialPage),
  },
  { path: "/access", label: "Access", page: AccessPage },
  { path: "/access/:org", page: AccessPage },
  { path: "/money", label: "Money", page: later(async () => (await import("./seldom-shown.ts")).SpendPage) },
  { path: "/money/budgets", page: later(async () => (await import("./seldom-shown.ts")).BudgetsPage) },
  { path: "/money/prices", page: later(async () => (await import("./seldom-shown.ts")).PricesPage) },
  { path: "/money/unknown", page: later(async () => (await import("./seldom-shown.ts")).UnknownPage) },
  { path: "/money/invoice", page: later(async () => (await import("./seldom-shown.ts")).InvoicePage) },
  { path: "/audit", label: "Audit", page: later(async () => (await import("./seldom-shown.ts")).AuditPage) },
];
