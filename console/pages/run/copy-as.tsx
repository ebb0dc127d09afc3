import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Copy } from "../../parts/copy.tsx";
import { type ClientRequest, LANGUAGES } from "./copies.ts";

type Language = keyof typeof LANGUAGES;

/** The same run as code for a program. */
export function CopyAs({ request }: { readonly request: ClientRequest }) {
  const [language, setLanguage] = useState<Language>();
  const text = language && LANGUAGES[language](request);
  return (
    <div class="stack">
      <div class="beside" role="group" aria-label="The same run as code">
        <span class="dim">The same as</span>
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
              Uses the current inputs. The token and the address of the service are variables.
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
