import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { navigate } from "../address.ts";
import { useVerb } from "../api/use-verb.ts";
import type { RowOf } from "../api/verb-types.ts";
import { hrefOfObject, type ObjectKind } from "./object-link.tsx";
import { useChoosing } from "./use-choosing.ts";
import { useSettled } from "./use-settled.ts";
import { TOKEN, useTokenSearch } from "./use-token-search.ts";
import "./search.css";

type Match = RowOf<"object find", "matches">;

const RUN_ID = /^trx_[0-9a-f]{32}$/;

/**
 * Finds anything by id or name. `/` moves the focus to it. Pasting the id of a run anywhere on a page opens that run,
 * and pasting a token finds out whose it is. It is a WAI-ARIA combobox with a list: the focus stays in the field, and the arrows choose.
 */
export function Search() {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [asked, settle] = useSettled(text.trim());
  const { result, error, isCurrent } = useVerb("object find", asked === "" ? null : { text: asked });
  const token = useTokenSearch();
  useShortcuts(field, searchToken);

  const matches = token.found?.matches ?? result?.matches ?? [];
  const isShown = isOpen && (text.trim() !== "" || token.found !== undefined);
  const isSettled =
    token.found === undefined
      ? asked === text.trim() && (isCurrent || error !== undefined)
      : token.found.says !== undefined;
  const choosing = useChoosing({ id, matches, isSettled, take: open });
  const current = matches[choosing.at];

  function close(): void {
    setOpen(false);
    setText("");
    token.forget();
    choosing.forget();
  }

  function searchToken(text: string): void {
    setText("");
    setOpen(true);
    choosing.forget();
    void token.search(text);
  }

  function open(match: Match): void {
    close();
    field.current?.blur();
    navigate(hrefOf(match));
  }

  function change({ currentTarget: input }: { readonly currentTarget: HTMLInputElement }): void {
    const { value } = input;
    if (RUN_ID.test(value.trim())) return openRun(value.trim());
    if (TOKEN.test(value.trim())) {
      input.value = "";
      return searchToken(value.trim());
    }
    token.forget();
    setText(value);
    setOpen(true);
    choosing.forget();
  }

  function openRun(run: string): void {
    close();
    field.current?.blur();
    navigate(hrefOfObject("run", run));
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Keys during text composition belong to the input method.
    if (event.isComposing) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : null;
    if (step !== null && matches.length > 0) {
      event.preventDefault();
      setOpen(true);
      choosing.move(step);
    } else if (event.key === "Enter" && isShown) {
      event.preventDefault();
      settle();
      choosing.enter();
    } else if (event.key === "Escape") close();
  }

  return (
    <div class="search" role="search" aria-label="Everything">
      <input
        ref={field}
        type="search"
        role="combobox"
        list={undefined}
        aria-label="Search"
        aria-keyshortcuts="/"
        aria-autocomplete="list"
        aria-expanded={isShown && matches.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && current ? `${id}-${choosing.at}` : undefined}
        placeholder="Search  /"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={change}
        onPaste={(event) => {
          const pasted = textOf(event);
          if (!TOKEN.test(pasted)) return;
          // It would otherwise be in the history of the field, which Undo restores.
          event.preventDefault();
          searchToken(pasted);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          setOpen(false);
          // Does not move the focus back if a click has moved it elsewhere.
          choosing.forget();
        }}
      />
      <div
        class="search-found"
        hidden={!isShown}
        // A scrollable element would otherwise be a tab stop.
        tabIndex={-1}
        // The field keeps the focus, so that the list is still open when the mouse button is released.
        onMouseDown={(event) => event.preventDefault()}
      >
        <ul id={`${id}-list`} role="listbox" aria-label="Matches">
          {matches.map((match, at) => (
            <li
              key={match.id}
              id={`${id}-${at}`}
              role="option"
              aria-selected={match === current}
              onClick={() => open(match)}
            >
              <span class="search-kind">{match.kind}</span>
              <span class="search-name">
                <bdi>{match.name || match.id}</bdi>
                {match.name && match.name !== match.id && <code class="dim">{match.id}</code>}
              </span>
            </li>
          ))}
        </ul>
        <p class={token.found?.says === undefined ? "dim" : "search-token"} role="status">
          {token.found
            ? (token.found.says ?? "Searching…")
            : error
              ? error.message
              : matches.length > 0
                ? ""
                : isSettled
                  ? "Nothing has this id or name."
                  : "Searching…"}
        </p>
      </div>
    </div>
  );
}

function hrefOf({ kind, id, organization_tuid: org }: Match): string {
  return hrefOfObject(kind as ObjectKind, id, org);
}

function textOf(event: ClipboardEvent): string {
  return event.clipboardData?.getData("text").trim() ?? "";
}

function useShortcuts(
  field: { readonly current: HTMLInputElement | null },
  searchToken: (token: string) => void,
): void {
  const onToken = useRef(searchToken);
  onToken.current = searchToken;
  // A layout effect, so that the key works before the next frame.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isInField(event)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    const onPaste = (event: ClipboardEvent): void => {
      if (isInField(event)) return;
      const pasted = textOf(event);
      if (RUN_ID.test(pasted)) navigate(hrefOfObject("run", pasted));
      if (!TOKEN.test(pasted)) return;
      field.current?.focus();
      onToken.current(pasted);
    };
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener("paste", onPaste);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("paste", onPaste);
    };
  }, []);
}

/** Whether the event belongs to a field or to an open dialog. */
export function isInField({ target }: Event): boolean {
  return (
    target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog[open]") !== null
  );
}
