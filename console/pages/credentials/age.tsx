import { sayAge } from "./say-age.ts";

export function Age({ since }: { readonly since: string }) {
  return (
    <time class="time" dateTime={since} title={`since ${since} (UTC)`}>
      {sayAge(Date.now() - Date.parse(since))}
    </time>
  );
}
