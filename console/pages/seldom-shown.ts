/*
 * What few visits of the console show, in one script that is loaded when it is needed: the code that two scripts share
 * becomes a third one, which the first page has to load.
 */
export { AuditPage } from "./audit/audit-page.tsx";
export { NewCredentialPage } from "./credentials/new-credential-page.tsx";
export { BudgetsPage } from "./money/budgets-page.tsx";
export { InvoicePage } from "./money/invoice-page.tsx";
export { PricesPage } from "./money/prices-page.tsx";
export { SpendPage } from "./money/spend-page.tsx";
export { UnknownPage } from "./money/unknown-page.tsx";
export { RunAFile } from "./run/file/run-a-file.tsx";
export { FunctionDiffPage, SourceDiffPage } from "./versions/diff-page.tsx";
export { Keys } from "../parts/keys.tsx";
