import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../../base/format.js";
import type { MemoryList, MemoryRow } from "../answers.js";
import { formatRoute, go, moveFocus, useAnswer, useDebounced, useKeys, useShared } from "./hooks.js";
import { Marks, MemoryView } from "./memory.js";
import { Age, Button, Check, Chip, Editor, Empty, Heading, Loaded } from "./parts.js";
import { addressOf } from "./server.js";

/** Longer than between two letters: each search is a request, and the server allows one a second. */
const SEARCH_AFTER_MS = 400;
/** Characters; encoded they must fit into an address of the live stream. */
const LONGEST_SEARCH = 200;

interface MemoriesViewProps {
  id: string | undefined;
  /** The search field should get the focus; `onSearch` is called once it has. */
  wantsSearch: boolean;
  onSearch(): void;
}

export function MemoriesView({ id, onSearch, wantsSearch }: MemoriesViewProps) {
  const [words, setWords] = useState("");
  const [type, setType] = useState("");
  const [withArchived, setWithArchived] = useState(false);
  const [isNew, setIsNew] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const debounced = useDebounced(words.trim(), SEARCH_AFTER_MS);
  const address = addressOf("memories", { words: debounced, archived: withArchived ? "1" : "" });
  const answer = useAnswer<MemoryList>(address);
  useKeys({ n: () => setIsNew(true) });
  // Another memory was opened; the input stays as a draft.
  useEffect(() => {
    if (id !== undefined) setIsNew(false);
  }, [id]);
  useEffect(() => {
    if (!wantsSearch) return;
    search.current?.focus();
    onSearch();
  }, [wantsSearch, onSearch]);
  const isOpen = id !== undefined || isNew;
  return (
    <>
      <Heading
        more={
          <Button tone="main" hint="n" onClick={() => setIsNew(true)}>
            New
          </Button>
        }
      >
        Memories
      </Heading>
      <div class={isOpen ? "panes open" : "panes"}>
        <div class="list-pane">
          <search class="filters">
            <input
              ref={search}
              type="search"
              value={words}
              maxLength={LONGEST_SEARCH}
              placeholder="Search by words, entities or meaning"
              aria-label="Search memories"
              aria-keyshortcuts="/"
              onInput={(event) => setWords(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "ArrowDown") moveFocus(1);
                else if (event.key === "Escape" && words === "") event.currentTarget.blur();
                else return;
                event.preventDefault();
              }}
            />
            <Filters
              {...{ type, setType, withArchived, setWithArchived }}
              memories={answer.value?.memories ?? []}
            />
          </search>
          <Loaded answer={answer}>
            {(list) => <Rows list={list} type={type} openID={id} isSearch={debounced !== ""} />}
          </Loaded>
        </div>
        <div class="detail-pane">
          {isNew && (
            <NewMemory
              onClose={(made) => {
                setIsNew(false);
                if (made !== undefined) go("memories", made);
              }}
            />
          )}
          {!isNew && id !== undefined && <MemoryView key={id} id={id} />}
          {!isOpen && <Empty>Select a memory to read it. Press ? for keyboard shortcuts.</Empty>}
        </div>
      </div>
    </>
  );
}

interface FiltersProps {
  memories: readonly MemoryRow[];
  type: string;
  setType(type: string): void;
  withArchived: boolean;
  setWithArchived(is: boolean): void;
}

function Filters({ memories, setType, setWithArchived, type, withArchived }: FiltersProps) {
  const types = [
    ...new Set([...memories.map((one) => one.type as string), ...(type === "" ? [] : [type])]),
  ].sort();
  return (
    <div class="filter-row">
      <select aria-label="Type" value={type} onChange={(event) => setType(event.currentTarget.value)}>
        <option value="">all types</option>
        {types.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <Check isOn={withArchived} onChange={setWithArchived}>
        include archived
      </Check>
    </div>
  );
}

interface RowsProps {
  list: MemoryList;
  type: string;
  openID: string | undefined;
  isSearch: boolean;
}

function Rows({ isSearch, list, openID, type }: RowsProps) {
  const shown = list.memories.filter((one) => type === "" || one.type === type);
  return (
    <>
      {shown.length + list.past.length === 0 && (
        <Empty>{isSearch ? "Nothing found." : "No memories yet."}</Empty>
      )}
      <ul class="rows tight">
        {shown.map((memory) => (
          <li key={memory.id}>
            <a
              class="row"
              data-row
              href={formatRoute("memories", memory.id)}
              {...(memory.id === openID && { "aria-current": "true" as const })}
            >
              <span class="row-head">
                <b>{memory.title}</b>
              </span>
              {!memory.text.startsWith(memory.title) && <span class="about one">{memory.text}</span>}
              <span class="fine">
                <Chip tone="type">{memory.type}</Chip>
                <Marks memory={memory} /> <Age at={memory.updated} />
                {memory.why !== undefined && ` · ${memory.why}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {list.more > 0 && (
        <p class="fine">{formatCount(list.more)} older memories not shown; search to find them</p>
      )}
      {list.past.length > 0 && <Past past={list.past} />}
      {list.problems.map(({ path, what }) => (
        <p class="failure" key={path}>
          {path}: {what}
        </p>
      ))}
    </>
  );
}

function Past({ past }: Pick<MemoryList, "past">) {
  return (
    <>
      <h2 class="small">In earlier sessions</h2>
      <ul class="rows tight">
        {past.map(({ at, session, text }) => (
          <li key={`${session} ${text}`}>
            <a class="row" data-row href={formatRoute("sessions", session)}>
              <span>{text}</span>
              <span class="fine">{at !== undefined && <Age at={at} />}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

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
    const done = await apply("remember", { content, private: isPrivate });
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
