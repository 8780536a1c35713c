import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { MemoryPage } from "../answers.js";
import { useShared } from "./hooks.js";
import { Button, Editor } from "./parts.js";

interface MemoryEditorProps {
  /** The memory when editing began. */
  page: MemoryPage;
  /** The memory has changed since then. */
  isChanged: boolean;
  onClose(): void;
}

export function MemoryEditor({ isChanged, onClose, page }: MemoryEditorProps) {
  const { apply, drafts } = useShared();
  const { memory, revision } = page;
  const draft = drafts.get(memory.id);
  const [title, setTitle] = useState(draft?.title ?? memory.title);
  const [content, setContent] = useState(draft?.content ?? memory.content);
  const [tags, setTags] = useState(draft?.tags ?? memory.tags.join(", "));
  const [isSaving, setIsSaving] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  useEffect(() => text.current?.focus(), []);
  const isSame = title === memory.title && content === memory.content && tags === memory.tags.join(", ");
  // Runs at once: an effect that waits for the next frame is dropped if the user leaves the view first.
  useLayoutEffect(() => {
    if (isSame) drafts.delete(memory.id);
    else drafts.set(memory.id, { page, title, content, tags });
  }, [drafts, memory.id, page, title, content, tags, isSame]);
  const close = (): void => {
    drafts.delete(memory.id);
    onClose();
  };

  const save = async (): Promise<void> => {
    if (isSaving) return;
    setIsSaving(true);
    const body = { id: memory.id, revision, title, content, tags: tags.split(",") };
    const done = await apply("memories/edit", body);
    setIsSaving(false);
    if (done) close();
  };

  return (
    <Editor onSave={save} onLeave={isSame ? close : undefined}>
      {isChanged && (
        <p class="failure" role="alert">
          This memory changed while you edited it, so you cannot save. Copy your text, cancel, and edit the
          memory again.
        </p>
      )}
      <label>
        Title
        <input value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <label>
        Text
        <textarea
          ref={text}
          rows={8}
          value={content}
          onInput={(event) => setContent(event.currentTarget.value)}
        />
      </label>
      <label>
        Tags, separated by commas
        <input value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
      </label>
      <div class="actions">
        <Button tone="main" onClick={save} isOff={isSaving || isSame || isChanged} hint="Ctrl+Enter">
          Save
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </Editor>
  );
}
