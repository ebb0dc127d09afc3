import { readLine, readProse, type Line } from "./read-prose.ts";
import "./prose.css";

/** A description by an author. What it says stays text: no markup of theirs reaches the page. */
export function Prose({ children }: { readonly children: string }) {
  return (
    <div class="prose">
      {readProse(children).map((block, at) => {
        switch (block.kind) {
          case "paragraph":
            return <p key={at}>{spans(block.line)}</p>;
          case "heading":
            return (
              <p key={at}>
                <strong>{spans(block.line)}</strong>
              </p>
            );
          case "list":
            return (
              <ul key={at}>
                {block.items.map((item, index) => (
                  <li key={index}>{spans(item)}</li>
                ))}
              </ul>
            );
          case "table":
            return (
              <div key={at} class="prose-table" role="region" aria-label="Table of the description" tabIndex={0}>
                <table>
                  <thead>
                    <tr>
                      {block.head.map((cell, index) => (
                        <th key={index} scope="col">
                          {spans(cell)}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {block.rows.map((row, index) => (
                      <tr key={index}>
                        {row.map((cell, column) => (
                          <td key={column}>{spans(cell)}</td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            );
        }
      })}
    </div>
  );
}

/** A sentence of an author, such as the description of a field. */
export function ProseLine({ children }: { readonly children: string }) {
  return <>{spans(readLine(children))}</>;
}

function spans(line: Line) {
  return line.map((span, at) => {
    switch (span.kind) {
      case "text":
        return span.text;
      case "code":
        return <code key={at}>{span.text}</code>;
      case "strong":
        return <strong key={at}>{span.text}</strong>;
      case "link":
        return (
          <Outward key={at} href={span.href}>
            {span.text}
          </Outward>
        );
    }
  });
}

/** A link to somebody else's page. It learns nothing of this one. `href` is from `httpAddress`. */
export function Outward({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
