import type { Toast } from "./hooks.js";
import { Button } from "./parts.js";

interface ToastsProps {
  toasts: readonly Toast[];
  onUndo(run: string): void;
  onClose(id: number): void;
}

/** Results of changes, with undo. Screen readers announce them. */
export function Toasts({ onClose, onUndo, toasts }: ToastsProps) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, isError, run, text }) => (
        <div key={id} class={isError ? "toast bad" : "toast"}>
          <p>{text}</p>
          {run !== undefined && (
            <Button tone="quiet" hint="u" onClick={() => onUndo(run)}>
              Undo
            </Button>
          )}
          <Button tone="quiet" onClick={() => onClose(id)} label="Close">
            ×
          </Button>
        </div>
      ))}
    </div>
  );
}
