import "./code.css";

/** A file with line numbers. The numbers are not copied with the text. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <pre class="code" role="region" aria-label={label} tabIndex={0}>
      <code>
        {lines.map((line, at) => (
          <span key={at} class="code-line">{`${line}\n`}</span>
        ))}
      </code>
    </pre>
  );
}
