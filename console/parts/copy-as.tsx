import { useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { type ClientRequest, LANGUAGES } from "./copies.ts";

type Language = keyof typeof LANGUAGES;

/** A run as code for a program. `says` stands before the names of the languages. */
export function CopyAs({ request, says = "The same as" }: { readonly request: ClientRequest; readonly says?: string }) {
  const [language, setLanguage] = useState<Language>();
  const text = language && LANGUAGES[language](request);
  return (
    <div class="stack">
      <div class="beside" role="group" aria-label="The run as code">
        <span class="dim">{says}</span>
        {(Object.keys(LANGUAGES) as Language[]).map((one) => (
          <Button
            key={one}
            kind="quiet"
            pressed={one === language}
            onClick={() => setLanguage(one === language ? undefined : one)}
          >
            {one}
          </Button>
        ))}
      </div>
      {text !== undefined && (
        <div>
          <div class="beside">
            <Copy text={text} />
            <span class="field-hint">
              The token and the address of the service are variables. For TypeScript and Python, an operator generates
              the client with the first line.
            </span>
          </div>
          <pre tabIndex={0} aria-label={`The run as ${language}`}>
            {text}
          </pre>
        </div>
      )}
    </div>
  );
}
