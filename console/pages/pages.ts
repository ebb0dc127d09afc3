import type { ComponentType } from "preact";
import { AuditPage } from "./audit/audit-page.tsx";

export interface PageEntry {
  /** `:name` stands for a part of the path, which the page gets as a property. */
  readonly path: string;
  /** What the navigation calls it. Pages without one are reached from others. */
  readonly label?: string;
  // eslint-disable-next-line typescript/no-explicit-any -- each page names the parts of its own path
  readonly page: ComponentType<any>;
}

/** All pages, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [{ path: "/audit", label: "Audit", page: AuditPage }];
