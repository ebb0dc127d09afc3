import { ageText } from "./age-text.ts";

export function Age({ since }: { readonly since: string }) {
  return (
    <time class="time" dateTime={since} title={`since ${since} (UTC)`}>
      {ageText(Date.now() - Date.parse(since))}
    </time>
  );
}
