import { useEffect, useRef } from "preact/hooks";
import { Button } from "./parts.js";
import { SECTION_NAMES, sections } from "./route.js";

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["/", "search memories"],
  ["j or ↓", "next row"],
  ["k or ↑", "previous row"],
  ["Enter", "open the row"],
  ["Esc", "go back"],
  ["n", "new memory"],
  ["e", "edit the memory"],
  ["p", "pin or unpin it"],
  ["a", "archive or restore it"],
  ["y", "keep a waiting sentence: that of the row, or the first"],
  ["d", "drop it"],
  ["u", "undo your last change on this page"],
  ["Ctrl+Enter", "save"],
  ["?", "show this list"],
];

export function Shortcuts({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="shortcuts" onClose={onClose} aria-labelledby="shortcuts-heading">
      <h2 id="shortcuts-heading">Keyboard shortcuts</h2>
      <dl>
        {[...sections.map((section, at) => [String(at + 1), SECTION_NAMES[section]] as const), ...KEYS].map(
          ([keys, what]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ),
        )}
      </dl>
      <Button onClick={() => dialog.current?.close()}>Close</Button>
    </dialog>
  );
}
