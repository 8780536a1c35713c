/** The list of memories, searched and filtered, with the open one or a new one beside it. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Found, Memory } from "../answers.js";
import { formatRoute, go, moveFocus, useAnswer, useDebounced, useKeys, useShared } from "./hooks.js";
import { Marks, MemoryView } from "./memory.js";
import { Age, Button, Check, Chip, Editor, Empty, Field, Heading, List, Loaded, Select } from "./parts.js";

/** Longer than between two letters: each search is a request, and the server allows one a second. */
const SEARCH_AFTER_MS = 400;
const LONGEST_SEARCH = 200;
const LONGEST_LINE = 160;
const MOST_HITS = 50;
const MOST_ROWS = 500;

/** What the server lists: memories, or what a search found. */
interface Listed {
  memories?: readonly Memory[];
  problems?: readonly { path: string; what: string }[];
  found?: readonly Found[];
}

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
  const answer = useAnswer<Listed>(
    debounced === "" ? "list" : "recall",
    debounced === ""
      ? { archived: withArchived }
      : { words: debounced, limit: MOST_HITS, archived: withArchived },
  );
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
              memories={answer.value ? listMemories(answer.value) : []}
            />
          </search>
          <Loaded answer={answer}>{(list) => <Rows list={list} type={type} openID={id} />}</Loaded>
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

/** Last changed first; of a search the best first. */
const listMemories = ({ found, memories = [] }: Listed): (Memory & { why?: string })[] =>
  found?.flatMap((one) => (one.kind === "memory" ? [{ ...one.memory, why: one.why }] : [])) ??
  [...memories].sort((a, b) => b.updated.localeCompare(a.updated) || a.id.localeCompare(b.id));

interface FiltersProps {
  memories: readonly Memory[];
  type: string;
  setType(type: string): void;
  withArchived: boolean;
  setWithArchived(is: boolean): void;
}

function Filters({ memories, setType, setWithArchived, type, withArchived }: FiltersProps) {
  const types = [...new Set([...memories.map((one): string => one.type), ...(type === "" ? [] : [type])])];
  const names = Object.fromEntries(types.sort().map((one) => [one, one]));
  return (
    <div class="filter-row">
      <Select label="Type" names={{ "": "all types", ...names }} value={type} onChange={setType} />
      <Check isOn={withArchived} onChange={setWithArchived}>
        include archived
      </Check>
    </div>
  );
}

function Rows({ list, openID, type }: { list: Listed; type: string; openID: string | undefined }) {
  const { found, problems = [] } = list;
  const wanted = listMemories(list).filter((one) => type === "" || one.type === type);
  const past = found?.flatMap((one) => (one.kind === "session" ? [one] : [])) ?? [];
  const none = found ? "Nothing found." : "No memories yet.";
  return (
    <>
      <List
        rows={wanted.slice(0, MOST_ROWS)}
        class="rows tight"
        keyOf={({ id }) => id}
        empty={past.length === 0 ? none : undefined}
        more={wanted.length - MOST_ROWS}
        left="older memories not shown; search to find them"
      >
        {(memory) => (
          <a
            class="row"
            data-row
            href={formatRoute("memories", memory.id)}
            {...(memory.id === openID && { "aria-current": "true" as const })}
          >
            <span class="row-head">
              <b>{memory.title}</b>
            </span>
            {!memory.content.startsWith(memory.title) && (
              <span class="about one">{memory.content.slice(0, LONGEST_LINE)}</span>
            )}
            <span class="fine">
              <Chip tone="type">{memory.type}</Chip>
              <Marks memory={memory} /> <Age at={memory.updated} />
              {memory.why !== undefined && ` · ${memory.why}`}
            </span>
          </a>
        )}
      </List>
      {past.length > 0 && (
        <>
          <h2 class="small">In earlier sessions</h2>
          <List rows={past} class="rows tight">
            {({ date, sessionID, text }) => (
              <a class="row" data-row href={formatRoute("sessions", sessionID)}>
                <span class="about">{text}</span>
                <span class="fine">
                  <Age at={date} />
                </span>
              </a>
            )}
          </List>
        </>
      )}
      {problems.map(({ path, what }) => (
        <p class="failure" key={path}>
          {path}: {what}
        </p>
      ))}
    </>
  );
}

/** `onClose` gets the id of the new memory, or nothing if it was cancelled. */
export function NewMemory({ onClose }: { onClose(made?: string): void }) {
  const { apply, drafts } = useShared();
  const [content, setContent] = useState(drafts.get("")?.content ?? "");
  const [isPrivate, setIsPrivate] = useState(false);
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
      <Field
        label="What should Strata remember?"
        rows={5}
        value={content}
        placeholder="We deploy on Fridays. Or with a type: decision: the server listens on 8080"
        onChange={setContent}
      />
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
