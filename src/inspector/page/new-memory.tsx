import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useShared } from "./hooks.js";
import { Button, Check, Editor } from "./parts.js";

/** `onClose` gets the id of the new memory, or nothing if it was cancelled. */
export function NewMemory({ onClose }: { onClose(made?: string): void }) {
  const { apply, drafts } = useShared();
  const [content, setContent] = useState(drafts.get("")?.content ?? "");
  const [isPrivate, setIsPrivate] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => text.current?.focus(), []);
  // Runs at once, as in the editor.
  useLayoutEffect(() => {
    if (content === "") drafts.delete("");
    else drafts.set("", { title: "", content, tags: "" });
  }, [drafts, content]);
  const close = (made?: string): void => {
    drafts.delete("");
    onClose(made);
  };
  const save = async (): Promise<void> => {
    const done = await apply("memories/remember", { content, isPrivate });
    if (done) close(done.memory);
  };
  return (
    <Editor onSave={save} onLeave={content === "" ? close : undefined}>
      <label>
        What should Strata remember?
        <textarea
          ref={text}
          rows={5}
          value={content}
          placeholder="We deploy on Fridays. Or with a type: decision: the server listens on 8080"
          onInput={(event) => setContent(event.currentTarget.value)}
        />
      </label>
      <Check isOn={isPrivate} onChange={setIsPrivate}>
        private (never in git)
      </Check>
      <div class="actions">
        <Button tone="main" onClick={save} isOff={content.trim() === ""} hint="Ctrl+Enter">
          Remember
        </Button>
        <Button onClick={() => close()}>Cancel</Button>
      </div>
    </Editor>
  );
}
