import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { allOpen, firstOpen, treeRows, type TreeRow } from "./tree-rows.ts";
import { Button } from "./button.tsx";
import "./tree.css";

/** Most lines that "Expand all" adds. */
const ROWS_MAX = 2_000;
const FEW_ROWS = 12;

/**
 * A JSON value as a tree. Keyboard: up and down move, left collapses or moves to the parent, right expands or moves to
 * the first child, Home and End, and `*` expands all.
 */
export function Tree({ value, label }: { readonly value: unknown; readonly label: string }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => firstOpen(value));
  const [current, setCurrent] = useState<string>();
  // A layout effect: after the next frame it would undo what the user has collapsed since.
  useLayoutEffect(() => setOpen(firstOpen(value)), [value]);
  const rows = useMemo(() => treeRows(value, open), [value, open]);
  const tree = useRef<HTMLDivElement>(null);
  const focused = rows.some(({ path }) => path === current) ? current : rows[0]?.path;

  function fold(path: string, isOpen: boolean): void {
    const next = new Set(open);
    if (isOpen) next.add(path);
    else next.delete(path);
    setOpen(next);
  }

  function go(row: TreeRow | undefined): void {
    if (row === undefined) return;
    setCurrent(row.path);
    tree.current?.querySelectorAll<HTMLElement>('[role="treeitem"]')[rows.indexOf(row)]?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const at = rows.findIndex(({ path }) => path === focused);
    const row = rows[at];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const above = rows.slice(0, at).findLast(({ level }) => level < row.level);
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(rows[at + 1]),
      ArrowUp: () => go(rows[at - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      ArrowRight: () => (row.isOpen === false ? fold(row.path, true) : row.isOpen && go(rows[at + 1])),
      ArrowLeft: () => (row.isOpen ? fold(row.path, false) : go(above)),
      Enter: () => row.isOpen !== undefined && fold(row.path, !row.isOpen),
      " ": () => row.isOpen !== undefined && fold(row.path, !row.isOpen),
      "*": () => setOpen(allOpen(value, ROWS_MAX)),
    };
    const act = acts[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  // A short value needs no buttons.
  const isFoldable = rows.length > FEW_ROWS || rows.some(({ isOpen, kind }) => isOpen === false && kind !== "text");
  return (
    <div class="tree">
      {isFoldable && (
        <div class="tree-actions">
          <Button kind="quiet" onClick={() => setOpen(allOpen(value, ROWS_MAX))}>
            Expand all
          </Button>
          <Button kind="quiet" onClick={() => setOpen(new Set())}>
            Collapse all
          </Button>
        </div>
      )}
      <div ref={tree} role="tree" aria-label={label} onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <Row
            key={row.path}
            row={row}
            isFocused={row.path === focused}
            onClick={() => {
              setCurrent(row.path);
              // Selecting text to copy it does not collapse the line.
              if (row.isOpen !== undefined && window.getSelection()?.isCollapsed !== false) fold(row.path, !row.isOpen);
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: TreeRow;
  readonly isFocused: boolean;
  readonly onClick: () => void;
}

function Row({ row, isFocused, onClick }: RowProps) {
  const { level, position, size, name, kind, text, isOpen } = row;
  return (
    <div
      class={`tree-row tree-${kind}`}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-expanded={isOpen}
      tabIndex={isFocused ? 0 : -1}
      onClick={onClick}
    >
      {Array.from({ length: level - 1 }, (_, at) => (
        <span key={at} class="tree-indent" />
      ))}
      <span class="tree-mark" aria-hidden="true">
        {isOpen !== undefined && (
          <svg viewBox="0 0 10 10" width="10" height="10">
            <path d={isOpen ? "M1 3h8L5 8z" : "M3 1v8l5-4z"} fill="currentColor" />
          </svg>
        )}
      </span>
      {name !== "" && <span class="tree-name">{name}</span>}
      <span class="tree-text">{text}</span>
    </div>
  );
}
