import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Field } from "./fields.tsx";
import { useChoosing } from "./use-choosing.ts";
import "./combo-field.css";

export interface FoundChoice {
  readonly value: string;
  readonly label: string;
  /** Distinguishes it from choices with the same label. */
  readonly note?: string;
}

interface ComboFieldProps {
  readonly label: string;
  readonly name?: string;
  /** The chosen value. */
  readonly value: string;
  /** The label of the chosen value; empty if none is chosen. */
  readonly says: string;
  /** Shown in the field if nothing is chosen. */
  readonly placeholder: string;
  readonly required?: boolean;
  /** Called with the typed text; with an empty text when the search ends. */
  readonly onSearch: (text: string) => void;
  readonly choices: readonly FoundChoice[];
  /** Whether the choices belong to the text that is typed now. */
  readonly isSettled: boolean;
  /** Shown below the choices: why there are none, or that there are more. */
  readonly status: string;
  readonly onValue: (value: string) => void;
}

/**
 * A field that chooses one of many by search. It is a WAI-ARIA combobox with a list: the focus stays in the field, the
 * arrows choose, Enter accepts, and Escape keeps the old value.
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
  const field = useRef<HTMLInputElement>(null);
  // The label can arrive after the focus. Selected as it was, it is replaced by what is typed.
  useLayoutEffect(() => {
    if (!isOpen && document.activeElement === field.current) field.current?.select();
  }, [says]);
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
    // Keys during text composition belong to the input method.
    if (event.isComposing) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : null;
    if (step !== null && isOpen) choosing.move(step);
    else if (step !== null) type("");
    else if (event.key === "Enter" && isOpen) {
      // Enter without typing or choosing changes nothing.
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
          ref={field}
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
          // The field keeps the focus, so that the list is still open when the mouse button is released.
          onMouseDown={(event) => event.preventDefault()}
        >
          {/* A scrollable element would otherwise be a tab stop. */}
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
