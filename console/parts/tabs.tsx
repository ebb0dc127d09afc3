import "./tabs.css";

interface TabsProps {
  /** What they lead to, for those who do not see them. */
  readonly label: string;
  readonly tabs: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
}

/** Links to the parts of a page, each of which has an address. */
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
