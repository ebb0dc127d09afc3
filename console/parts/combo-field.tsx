import { useId, useState } from "preact/hooks";
import { Field } from "./fields.tsx";
import { useChoosing } from "./use-choosing.ts";
import "./combo-field.css";

export interface FoundChoice {
  readonly value: string;
  readonly label: string;
  /** What tells it from others with the same label. */
  readonly note?: string;
}

interface ComboFieldProps {
  readonly label: string;
  readonly name?: string;
  /** What was chosen. */
  readonly value: string;
  /** The same in words; empty for nothing. */
  readonly says: string;
  /** What is in the field if nothing was chosen. */
  readonly placeholder: string;
  readonly required?: boolean;
  /** Is told what is typed; an empty text when nothing is any more. */
  readonly onSearch: (text: string) => void;
  readonly choices: readonly FoundChoice[];
  /** Whether these are the choices for what is typed now. */
  readonly isSettled: boolean;
  /** Below the choices: why there are none, or that there are others. */
  readonly status: string;
  readonly onValue: (value: string) => void;
}

/**
 * One of many, found by what is typed. A combobox with a list, as WAI-ARIA describes it: the focus stays in the field, the
 * arrows choose, Enter takes, and Escape leaves everything as it was.
 */
export function ComboField(props: ComboFieldProps) {
  const {
    label,
    name,
    value,
    says,
    placeholder,
    required = false,
    onSearch,
    choices,
    isSettled,
    status,
    onValue,
  } = props;
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const isOpen = typed !== undefined;
  const isSearch = typed !== undefined && typed.trim() !== "";
  const begin = isOpen && !isSearch ? choices.findIndex((choice) => choice.value === value) : 0;
  const choosing = useChoosing({ id, matches: choices, isSettled, take, begin });

  function type(text: string | undefined): void {
    choosing.forget();
    setTyped(text);
    onSearch(text ?? "");
  }

  function take(choice: FoundChoice): void {
    type(undefined);
    onValue(choice.value);
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Until a word is composed, its keys belong to what composes it.
    if (event.isComposing) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : null;
    if (step !== null && isOpen) choosing.move(step);
    else if (step !== null) type("");
    else if (event.key === "Enter" && isOpen) {
      // Who has neither typed nor chosen anything changes nothing.
      if (isSearch || choosing.isChosen) choosing.enter();
      else type(undefined);
    } else if (event.key === "Escape" && isOpen) type(undefined);
    else return;
    event.preventDefault();
  }

  return (
    <Field id={id} label={label} required={required}>
      <div class="combo">
        <input
          id={id}
          name={name}
          type="text"
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-activedescendant={isOpen && choosing.at >= 0 ? `${id}-${choosing.at}` : undefined}
          autocomplete="off"
          spellcheck={false}
          required={required}
          value={typed ?? says}
          placeholder={says === "" ? placeholder : says}
          title={says === "" ? undefined : says}
          onInput={(event) => type(event.currentTarget.value)}
          onClick={() => !isOpen && type("")}
          onKeyDown={onKeyDown}
          onBlur={() => type(undefined)}
        />
        <svg class="combo-mark" viewBox="0 0 10 8" width="10" height="8" aria-hidden="true">
          <path d="M1 2l4 4 4-4" fill="none" stroke="currentColor" stroke-width="1.5" />
        </svg>
        <div
          class="combo-found"
          hidden={!isOpen}
          // The field keeps the focus, so that the list is still there when the button is released.
          onMouseDown={(event) => event.preventDefault()}
        >
          {/* What scrolls would be a tab stop of its own. */}
          <ul id={`${id}-list`} role="listbox" aria-label="Choices" tabIndex={-1}>
            {choices.map((choice, at) => (
              <li
                key={choice.value}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === choosing.at}
                onClick={() => take(choice)}
              >
                <bdi>{choice.label}</bdi>
                {choice.note && <code class="dim">{choice.note}</code>}
              </li>
            ))}
          </ul>
          <p class="dim" role="status">
            {isOpen ? status : ""}
          </p>
        </div>
      </div>
    </Field>
  );
}
