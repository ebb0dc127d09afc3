import "./diff.css";

/** The lines of a unified diff. Each begins with its sign, so that colour is not needed to read it. */
export function Diff({ text, label }: { readonly text: string; readonly label: string }) {
  // The names of the files are in the heading.
  const lines = text.replace(/\n$/, "").split("\n").slice(2);
  return (
    <pre class="diff" role="region" aria-label={label} tabIndex={0}>
      <code>
        {lines.map((line, at) => {
          const Line = LINES[line[0] ?? ""] ?? "span";
          return <Line key={at} class={line.startsWith("@@") ? "diff-place" : "diff-line"}>{`${line}\n`}</Line>;
        })}
      </code>
    </pre>
  );
}

/** What a line is, by its sign. */
const LINES: Readonly<Record<string, "ins" | "del">> = { "+": "ins", "-": "del" };
