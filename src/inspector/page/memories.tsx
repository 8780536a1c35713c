/** The list of memories, searched and filtered, with the open one or a new one beside it. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../../base/format.js";
import type { Found, Memory, SaidQuote } from "../answers.js";
import {
  formatRoute,
  go,
  moveFocus,
  useAnswer,
  useDebounced,
  useDraft,
  useKeys,
  useRoute,
  useShared,
} from "./hooks.js";
import { Marks, MemoryView } from "./memory.js";
import { Age, Button, Check, Chip, Editor, Empty, Field, Heading, List, Loaded, Select } from "./parts.js";

/** Longer than between two letters: each search is a request, and the server allows one a second. */
const SEARCH_AFTER_MS = 400;
const LONGEST_SEARCH = 200;
const LONGEST_LINE = 160;
const MOST_HITS = 50;
/** Height of a memory in the list, as in the style sheet. */
const ROW_PX = 60;
/** Rows above and below those on the screen. */
const SPARE_ROWS = 20;

/** What the server lists: memories, or what a search found. */
interface Listed {
  memories?: readonly Memory[];
  problems?: readonly { path: string; what: string }[];
  found?: readonly Found[];
  conversations?: readonly SaidQuote[];
}
type Listing = readonly (Memory & { why?: string })[];

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
  const memories = useMemo(() => (answer.value ? listMemories(answer.value) : []), [answer.value]);
  const wanted = useMemo(() => memories.filter((one) => type === "" || one.type === type), [memories, type]);
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
      <Heading more={<Button tone="main" hint="n" name="New" onClick={() => setIsNew(true)} />}>
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
              placeholder="Search memories and conversations"
              aria-label="Search memories and conversations"
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
              {...{ type, setType, withArchived, setWithArchived, memories }}
              count={answer.value && `${formatCount(wanted.length)} shown`}
            />
          </search>
          <Loaded answer={answer}>{(list) => <Rows list={list} memories={wanted} />}</Loaded>
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
const listMemories = ({ found, memories = [] }: Listed): Listing =>
  found?.flatMap((one) => (one.kind === "memory" ? [{ ...one.memory, why: one.why }] : [])) ??
  memories.toSorted((a, b) => (a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : 0));

interface FiltersProps {
  memories: Listing;
  count: string | undefined;
  type: string;
  setType(type: string): void;
  withArchived: boolean;
  setWithArchived(is: boolean): void;
}

function Filters({ count, memories, setType, setWithArchived, type, withArchived }: FiltersProps) {
  const types = [...new Set([...memories.map((one): string => one.type), ...(type === "" ? [] : [type])])];
  const names = Object.fromEntries(types.sort().map((one) => [one, one]));
  return (
    <div class="filter-row">
      <Select label="Type" names={{ "": "all types", ...names }} value={type} onChange={setType} />
      <Check label="include archived" isOn={withArchived} onChange={setWithArchived} />
      <span class="fine count" role="status">
        {count}
      </span>
    </div>
  );
}

function Rows({ list, memories }: { list: Listed; memories: Listing }) {
  const { conversations = [], found, problems = [] } = list;
  const said = [
    ...(found?.flatMap((one) =>
      one.kind === "session" ? [{ at: one.date, id: one.sessionID, text: one.text, who: "", open: "" }] : [],
    ) ?? []),
    ...conversations.map(({ atMs, by, open, session: { id, title }, text }) => ({
      ...{ at: new Date(atMs).toISOString(), id, open, text },
      who: `${by}, ${title},`,
    })),
  ];
  return (
    <>
      {problems.map(({ path, what }) => (
        <p class="failure" key={path}>
          {path}: {what}
        </p>
      ))}
      {memories.length + said.length === 0 && <Empty>{found ? "Nothing found." : "No memories yet."}</Empty>}
      <LongList memories={memories} />
      {said.length > 0 && (
        <>
          <h2 class="small">In earlier sessions</h2>
          <List rows={said} class="rows tight">
            {({ at, id, open, text, who }) => (
              <a class="row" data-row href={formatRoute("sessions", id)}>
                <span class="about">{text}</span>
                <span class="fine">
                  {who} <Age at={at} /> <code>{open}</code>
                </span>
              </a>
            )}
          </List>
        </>
      )}
    </>
  );
}

/** As many rows as the screen needs, of any number; a screen reader hears how many there are. */
function LongList({ memories }: { memories: Listing }) {
  const { id: openID } = useRoute();
  const list = useRef<HTMLUListElement>(null);
  const [from, setFrom] = useState(0);
  const count = memories.length;
  useLayoutEffect(() => {
    const look = (): void => {
      const above = -(list.current?.getBoundingClientRect().top ?? 0) / ROW_PX;
      setFrom(Math.max(0, Math.floor(Math.min(above, count) / SPARE_ROWS - 1) * SPARE_ROWS));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [count]);
  const until = Math.min(count, from + Math.ceil(innerHeight / ROW_PX) + 3 * SPARE_ROWS);
  const style = { paddingTop: `${from * ROW_PX}px`, paddingBottom: `${(count - until) * ROW_PX}px` };
  return (
    <ul class="rows tight long" ref={list} style={style}>
      {memories.slice(from, until).map((memory, at) => {
        const { content, id, title, type, updated, why } = memory;
        const text = content.startsWith(title) ? "" : content.slice(0, LONGEST_LINE);
        return (
          <li key={id} aria-setsize={count} aria-posinset={from + at + 1}>
            <a
              class="row"
              data-row
              href={formatRoute("memories", id)}
              {...(id === openID && { "aria-current": "true" as const })}
            >
              <span class="row-head">
                <b>{title}</b>
                <Age at={updated} />
              </span>
              <span class="about">
                <Chip tone="type">{type}</Chip>
                <Marks memory={memory} />
                {[why, text].filter(Boolean).join(" · ")}
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** `onClose` gets the id of the new memory, or nothing if it was cancelled. */
export function NewMemory({ onClose }: { onClose(made?: string): void }) {
  const { apply } = useShared();
  const [draft, keep] = useDraft("");
  const [content, setContent] = useState(draft?.content ?? "");
  const [isPrivate, setIsPrivate] = useState(false);
  useLayoutEffect(() => keep(content === "" ? undefined : { title: "", content, tags: "" }));
  const close = (made?: string): void => {
    keep(undefined);
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
      <Check label="private (never in git)" isOn={isPrivate} onChange={setIsPrivate} />
      <div class="actions">
        <Button tone="main" name="Remember" onClick={save} isOff={content.trim() === ""} hint="Ctrl+Enter" />
        <Button name="Cancel" onClick={() => close()} />
      </div>
    </Editor>
  );
}
