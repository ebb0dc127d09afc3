import "./tabs.css";

interface TabsProps {
  /** The purpose of the tabs, for screen readers. */
  readonly label: string;
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
}

/** Links to the parts of a page. Each part has its own address. */
export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.href}>
            <a href={tab.href} aria-current={tab.isCurrent ? "page" : undefined}>
              {tab.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
