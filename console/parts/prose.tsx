import { readLine, readProse, type Line } from "./read-prose.ts";
import "./prose.css";

/** An author's description. Its text is never interpreted as HTML. */
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

/** One sentence by an author, such as the description of a field. */
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

/** A link to an external page, which gets no referrer. `href` must come from `httpAddress`. */
export function Outward({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
