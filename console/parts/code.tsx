import { Copy } from "./copy.tsx";
import "./code.css";

/** A file as it was written, with the numbers of its lines, which are not copied with it. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <div class="code">
      <div class="code-copy">
        <Copy text={text} />
      </div>
      <pre role="region" aria-label={label} tabIndex={0}>
        <code>
          {lines.map((line, at) => (
            <span key={at} class="code-line">{`${line}\n`}</span>
          ))}
        </code>
      </pre>
    </div>
  );
}
