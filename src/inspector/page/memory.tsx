/** One memory: its text, facts and history; edit, pin and archive. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { Done, Memory, MemoryPage } from "../answers.js";
import { DiffView } from "./changes.js";
import { nameChange } from "./diff.js";
import { formatRoute, go, useAnswer, useDraft, useKeys, useShared } from "./hooks.js";
import { Age, Button, Chip, Editor, Failed, Field, List, Loaded, Prose } from "./parts.js";

export function MemoryView({ id }: { id: string }) {
  const answer = useAnswer<MemoryPage>(`memory?${new URLSearchParams({ id })}`);
  return (
    <article class="memory" aria-label="Memory">
      <p class="back">
        <a href={formatRoute("memories")}>‹ Memories</a>
      </p>
      <Loaded answer={answer}>{(page) => <Opened page={page} />}</Loaded>
    </article>
  );
}

function Opened({ page }: { page: MemoryPage }) {
  const { apply } = useShared();
  const [draft] = useDraft(page.memory.id);
  /** The page when editing began: later changes are reported, not merged. */
  const [edited, setEdited] = useState(draft?.page);
  const { memory } = page;
  const { id, isForeign, pinned, status } = memory;
  const isArchived = status === "archived";
  const edit = (): void => setEdited(page);
  const pin = (): Promise<Done | undefined> => apply(pinned ? "unpin" : "pin", { name: id });
  const move = (): Promise<Done | undefined> => apply(isArchived ? "restore" : "archive", { name: id });
  useKeys(
    edited === undefined
      ? { ...(!isArchived && { e: edit, p: pin }), a: move, Escape: () => go("memories") }
      : {},
  );
  if (edited)
    return (
      <MemoryEditor
        page={edited}
        isChanged={edited.revision !== page.revision}
        onClose={() => setEdited(undefined)}
      />
    );
  return (
    <>
      <h2 class="memory-title">{memory.title}</h2>
      <p class="marks">
        <Chip tone="type">{memory.type}</Chip>
        <Marks memory={memory} />
      </p>
      <Prose text={memory.content} />
      <div class="actions">
        {!isArchived && (
          <>
            <Button hint="e" name="Edit" onClick={edit} />
            <Button hint="p" name={pinned ? "Unpin" : "Pin"} onClick={pin} isPressed={pinned} />
          </>
        )}
        <Button hint="a" name={isArchived ? "Restore" : "Archive"} onClick={move} />
        {isForeign && (
          <Button
            name="Accept as mine"
            onClick={() => apply("trust", { yes: true, name: id, revision: page.revision })}
          />
        )}
      </div>
      <Facts page={page} />
      <History page={page} />
    </>
  );
}

function Facts({ page: { judge, memory, path, uses } }: { page: MemoryPage }) {
  const { created, entities, id, importance, links, provenance, supersededBy, tags, updated, when } = memory;
  const { by, evidence, session } = provenance;
  return (
    <dl class="facts">
      <Fact label="id">
        <code>{id}</code>
      </Fact>
      {path !== undefined && (
        <Fact label="file">
          <code>{path}</code>
        </Fact>
      )}
      <Fact label="source">
        {by}
        {session !== undefined && (
          <>
            , <a href={formatRoute("sessions", session)}>{session}</a>
          </>
        )}
      </Fact>
      {evidence !== undefined && <Fact label="your words">“{evidence}”</Fact>}
      {judge !== undefined && <Fact label="judged by">{judge}</Fact>}
      {Date.parse(updated) > 0 && (
        <Fact label="changed">
          <Age at={updated} />
          {created !== updated && (
            <>
              , created <Age at={created} />
            </>
          )}
        </Fact>
      )}
      {tags.length > 0 && <Fact label="tags">{tags.join(", ")}</Fact>}
      {entities.length > 0 && <Fact label="about">{entities.join(", ")}</Fact>}
      {when.length > 0 && <Fact label="shown when">{when.join(", ")}</Fact>}
      <Fact label="importance">
        {importance}, used {uses} {uses === 1 ? "time" : "times"}
      </Fact>
      {[...links, ...(supersededBy === undefined ? [] : [supersededBy])].map((other) => (
        <Fact key={other} label={other === supersededBy ? "replaced by" : "see"}>
          <a href={formatRoute("memories", other)}>{other}</a>
        </Fact>
      ))}
    </dl>
  );
}

function Fact({ children, label }: { label: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

function History({ page: { changes } }: { page: MemoryPage }) {
  const { apply } = useShared();
  return (
    <>
      <h2 class="small">History</h2>
      <List rows={changes} class="history" keyOf={({ id }) => id} empty="No changes yet.">
        {(change) => (
          <details>
            <summary>
              {nameChange(change)} <Age at={change.at} />
            </summary>
            {change.reason !== undefined && <p class="about">{change.reason}</p>}
            <DiffView before={change.before} after={change.after ?? change.before} />
            {change === changes[0] && change.by === "strata" && change.operation !== "undo" && (
              <Button name="Undo this change" onClick={() => apply("undo", { run: change.run })} />
            )}
          </details>
        )}
      </List>
    </>
  );
}

interface MemoryEditorProps {
  /** The memory when editing began. */
  page: MemoryPage;
  /** The memory has changed since then. */
  isChanged: boolean;
  onClose(): void;
}

export function MemoryEditor({ isChanged, onClose, page }: MemoryEditorProps) {
  const { apply } = useShared();
  const { memory, revision } = page;
  const [draft, keep] = useDraft(memory.id);
  const [title, setTitle] = useState(draft?.title ?? memory.title);
  const [content, setContent] = useState(draft?.content ?? memory.content);
  const [tags, setTags] = useState(draft?.tags ?? memory.tags.join(", "));
  const [isSaving, setIsSaving] = useState(false);
  const isSame = title === memory.title && content === memory.content && tags === memory.tags.join(", ");
  useLayoutEffect(() => keep(isSame ? undefined : { page, title, content, tags }));
  const close = (): void => {
    keep(undefined);
    onClose();
  };

  const save = async (): Promise<void> => {
    if (isSaving) return;
    setIsSaving(true);
    const body = { name: memory.id, revision, title, content, tags: tags.split(",") };
    const done = await apply("edit", body);
    setIsSaving(false);
    if (done) close();
  };

  return (
    <Editor onSave={save} onLeave={isSame ? close : undefined}>
      {isChanged && (
        <Failed>
          This memory changed while you edited it, so you cannot save. Copy your text, cancel, and edit the
          memory again.
        </Failed>
      )}
      <Field label="Title" value={title} onChange={setTitle} />
      <Field label="Text" rows={8} value={content} onChange={setContent} />
      <Field label="Tags, separated by commas" value={tags} onChange={setTags} />
      <div class="actions">
        <Button
          tone="main"
          name="Save"
          onClick={save}
          isOff={isSaving || isSame || isChanged}
          hint="Ctrl+Enter"
        />
        <Button name="Cancel" onClick={close} />
      </div>
    </Editor>
  );
}

/** Chips for a memory's special properties. */
export function Marks({ memory }: { memory: Memory }) {
  const { isForeign = false, isPersonal = false, pinned, scope, sensitivity, status } = memory;
  const marks: readonly (readonly [is: boolean, text: string, tone: string])[] = [
    [pinned, "pinned", "plain"],
    [status !== "active", status, "plain"],
    [isForeign, "not yours", "warn"],
    [sensitivity === "private", "private", "plain"],
    [isPersonal, "not in git", "plain"],
    [scope === "global", "every project", "plain"],
  ];
  return marks.map(
    ([is, text, tone]) =>
      is && (
        <Chip key={text} tone={tone}>
          {text}
        </Chip>
      ),
  );
}
