import { address, hrefOf } from "../../address.ts";
import { Page } from "../../parts/page.tsx";

export function NotFoundPage() {
  return (
    <Page title="There is no such page">
      <p>
        There is no page at <code>{address().path}</code>. <a href={hrefOf("/")}>Go to the overview</a>, or press{" "}
        <kbd>/</kbd> to search by id or name.
      </p>
    </Page>
  );
}
