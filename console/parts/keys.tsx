import { Dialog } from "./dialog.tsx";
import { Fact, FactList } from "./facts.tsx";

export interface KeysProps {
  readonly onClose: () => void;
}

/** The keys that work on every page. */
export function Keys({ onClose }: KeysProps) {
  return (
    <Dialog title="Keys" onClose={onClose} isToRead>
      <FactList isShort>
        {KEYS.map(([key, says]) => (
          <Fact key={key} title={key}>
            {says}
          </Fact>
        ))}
      </FactList>
    </Dialog>
  );
}

const KEYS: readonly (readonly [key: string, says: string])[] = [
  ["/", "Search by a name or an id. A pasted id of a run opens it, and a pasted token shows whose it is."],
  ["?", "These keys."],
  ["Tab", "As the first key on a page: skip to its content. On Runs, also skip to the list."],
  ["↑ ↓ Enter", "Choose in a search, in a field with a list, and among the calls of a run."],
  ["Escape", "Close a dialog or a list."],
];
