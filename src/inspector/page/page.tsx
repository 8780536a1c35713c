/** The page: navigation, the open section, live updates, keys and toasts. */
import { type ComponentChildren, type ContextType, render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Done, Projects } from "../answers.js";
import { ChangesView } from "./changes.js";
import {
  type Answer,
  type Draft,
  formatRoute,
  go,
  moveFocus,
  NowContext,
  POLL_MS,
  type ProjectName,
  parseRoute,
  type Route,
  read,
  SECTION_NAMES,
  type Section,
  type Shared,
  SharedContext,
  sections,
  type Toast,
  TodosContext,
  useAnswer,
  useKeys,
  useRoute,
  useTime,
  useTodos,
} from "./hooks.js";
import { MemoriesView } from "./memories.js";
import { OverviewView } from "./overview.js";
import { Button, Empty, Failed, Loaded } from "./parts.js";
import { SessionsView, SessionView } from "./sessions.js";
import { AgendaView, LogView, WaitingView } from "./waiting.js";

const TOAST_MS = 12_000;
const MOST_TOASTS = 3;
/** Key in the tab's session storage for the project that the tab shows. */
const CHOSEN = "strata-project";

function Page() {
  const [answer, setAnswer] = useState<Answer<Projects & { aheadMs: number }>>({});
  const [chosen, setChosen] = useState(() => sessionStorage.getItem(CHOSEN));
  const [drafts] = useState(() => new Map<string, Draft>());
  const choose = (id: string): void => {
    sessionStorage.setItem(CHOSEN, id);
    setChosen(id);
    // The open item belongs to the previous project.
    go(parseRoute(location.hash).section);
  };
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        const value: Projects = JSON.parse(await read("api/projects"));
        setAnswer({ value: { ...value, aheadMs: value.nowMs - Date.now() } });
      } catch (thrown) {
        setAnswer({ error: thrown instanceof Error ? thrown.message : String(thrown) });
        setTimeout(load, POLL_MS);
      }
    };
    void load();
  }, []);
  useEffect(() => {
    // The browser asks before it closes a page with unsaved drafts.
    const onLeave = (event: Event): void => {
      if (drafts.size > 0) event.preventDefault();
    };
    addEventListener("beforeunload", onLeave);
    return () => removeEventListener("beforeunload", onLeave);
  }, [drafts]);
  const projects = answer.value;
  const project = projects?.projects.find(({ id }) => id === chosen) ?? projects?.projects[0];
  if (!project || !projects)
    return (
      <main class="alone">
        <h1>Strata</h1>
        <Loaded answer={answer}>
          {() => (
            <Empty>
              Strata has not run in any project on this machine yet. Work in OpenCode, then reload this page.
            </Empty>
          )}
        </Loaded>
      </main>
    );
  return <Inspector key={project.id} {...{ project, projects, drafts }} onChoose={choose} />;
}

interface SideProps {
  project: ProjectName;
  projects: Projects & { aheadMs: number };
  onChoose(id: string): void;
  section: Section;
  isLive: boolean;
  onHelp(): void;
}

interface InspectorProps extends Pick<SideProps, "project" | "projects" | "onChoose"> {
  drafts: Map<string, Draft>;
}

function Inspector({ drafts, onChoose, project, projects }: InspectorProps) {
  const { close, tell, toasts } = useToasts();
  /** Empty until something has been read. */
  const [lost, onRead] = useState<string | undefined>("");
  const [changes, setChanges] = useState(0);
  const apply = useCallback<Shared["apply"]>(
    async (name, body) => {
      try {
        const done: Done = JSON.parse(await read(`api/${project.id}/${name}`, body));
        setChanges((count) => count + 1);
        tell({ text: done.what, isError: false, ...(done.run !== undefined && { run: done.run }) });
        return done;
      } catch (thrown) {
        tell({ text: thrown instanceof Error ? thrown.message : String(thrown), isError: true });
        return undefined;
      }
    },
    [tell, project.id],
  );
  const [isHelp, setIsHelp] = useState(false);
  const [wantsSearch, setWantsSearch] = useState(false);
  const endSearch = useCallback(() => setWantsSearch(false), []);
  const route = useRoute();
  useHeadingFocus(route);
  const shared = useMemo(
    (): Shared => ({ project, changes, onRead, drafts, apply }),
    [project, changes, drafts, apply],
  );
  const now = useTime(projects.aheadMs);
  const undo = ({ id, run }: Toast): void => {
    close(id);
    void apply("undo", { run });
  };
  const last = toasts.findLast((one) => one.run !== undefined);
  useKeys({
    ...Object.fromEntries(sections.map((section, at) => [String(at + 1), () => go(section)])),
    "?": () => setIsHelp(true),
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    // Outside rows, these keys scroll.
    ArrowDown: () => moveFocus(1, { onlyFromRow: true }),
    ArrowUp: () => moveFocus(-1, { onlyFromRow: true }),
    "/": () => {
      setWantsSearch(true);
      go("memories");
    },
    u: last && (() => undo(last)),
  });
  useEffect(() => {
    document.title = `${SECTION_NAMES[route.section]} · ${project.name} · Strata`;
  }, [route.section, project.name]);
  return (
    <SharedContext.Provider value={shared}>
      <WithTodos>
        <NowContext.Provider value={now}>
          <button type="button" class="skip" onClick={focusHeading}>
            Skip to content
          </button>
          <Side
            {...{ project, projects, onChoose }}
            isLive={lost === undefined}
            section={route.section}
            onHelp={() => setIsHelp(true)}
          />
          <main>
            {lost && <Failed>{lost}</Failed>}
            <View route={route} wantsSearch={wantsSearch} onSearch={endSearch} />
          </main>
          <Toasts toasts={toasts} onClose={close} onUndo={undo} />
          {isHelp && <Shortcuts onClose={() => setIsHelp(false)} />}
        </NowContext.Provider>
      </WithTodos>
    </SharedContext.Provider>
  );
}

/** Asks once what waits for the user, for the navigation and the views. */
function WithTodos({ children }: { children: ComponentChildren }) {
  const todos: ContextType<typeof TodosContext> = useAnswer("todo", {});
  return <TodosContext.Provider value={todos}>{children}</TodosContext.Provider>;
}

interface ViewProps {
  route: Route;
  wantsSearch: boolean;
  onSearch(): void;
}

function View({ onSearch, route: { id, section }, wantsSearch }: ViewProps) {
  if (section === "sessions") return id === undefined ? <SessionsView /> : <SessionView key={id} id={id} />;
  if (section === "memories") return <MemoriesView {...{ id, wantsSearch, onSearch }} />;
  if (section === "waiting") return <WaitingView />;
  if (section === "agenda") return <AgendaView />;
  if (section === "changes") return <ChangesView />;
  if (section === "log") return <LogView />;
  return <OverviewView />;
}

function Side({ isLive, onChoose, onHelp, project, projects, section }: SideProps) {
  const waiting = useTodos().value?.todos.length ?? 0;
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen, the sections are a scrolling row.
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
    void [section, waiting];
  }, [section, waiting]);
  return (
    <header class="side-bar">
      <div class="brand">
        <img src="assets/icon.svg" alt="" width="24" height="24" />
        <span class="brand-name">Strata</span>
        {projects.projects.length === 1 ? (
          <span class="project" title={project.root}>
            {project.name}
          </span>
        ) : (
          <select
            class="project"
            aria-label="Project"
            value={project.id}
            onChange={(event) => onChoose(event.currentTarget.value)}
          >
            {projects.projects.map(({ id, name, root }) => (
              <option key={id} value={id} title={root}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
      <nav ref={nav} aria-label="Sections">
        {sections.map((one, at) => (
          <a
            key={one}
            href={formatRoute(one)}
            aria-keyshortcuts={String(at + 1)}
            {...(one === section && { "aria-current": "page" as const })}
          >
            {SECTION_NAMES[one]}
            {one === "waiting" && waiting > 0 && <span class="badge">{waiting}</span>}
          </a>
        ))}
      </nav>
      <div class="foot">
        <span class={isLive ? "live" : "live lost"} role="status">
          {isLive ? "live" : "connecting …"}
        </span>
        <button type="button" class="button quiet" onClick={onHelp} aria-keyshortcuts="?">
          Keys <kbd>?</kbd>
        </button>
        <span class="version">{projects.version}</span>
      </div>
    </header>
  );
}

function focusHeading(): void {
  document.getElementById("heading")?.focus();
}

/** Focuses the heading of a new section for screen readers; the page's title announces the first one. */
function useHeadingFocus({ section }: Route): void {
  const isFirst = useRef(true);
  useEffect(() => {
    // An input field keeps the focus.
    if (!isFirst.current && !(document.activeElement instanceof HTMLInputElement)) focusHeading();
    isFirst.current = false;
    void section;
  }, [section]);
}

function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const count = useRef(0);
  const close = useCallback((id: number) => setToasts((all) => all.filter((one) => one.id !== id)), []);
  const tell = useCallback(
    (toast: Omit<Toast, "id">) => {
      const id = ++count.current;
      setToasts((all) => [...all, { ...toast, id }].slice(-MOST_TOASTS));
      setTimeout(() => close(id), TOAST_MS);
    },
    [close],
  );
  return { toasts, tell, close };
}

const root = document.getElementById("page");
if (root) render(<Page />, root);

interface ToastsProps {
  toasts: readonly Toast[];
  onUndo(toast: Toast): void;
  onClose(id: number): void;
}

/** Results of changes, with undo. Screen readers announce them. */
export function Toasts({ onClose, onUndo, toasts }: ToastsProps) {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} class={toast.isError ? "toast bad" : "toast"}>
          <p>{toast.text}</p>
          {toast.run !== undefined && (
            <Button tone="quiet" hint="u" name="Undo" onClick={() => onUndo(toast)} />
          )}
          <Button tone="quiet" name="×" label="Close" onClick={() => onClose(toast.id)} />
        </div>
      ))}
    </div>
  );
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["/", "search memories"],
  ["j or ↓", "next row"],
  ["k or ↑", "previous row"],
  ["Enter", "open the row"],
  ["Esc", "go back"],
  ["n", "new memory"],
  ["e", "edit the memory, or expand an item of a session's context"],
  ["p", "pin or unpin it, or an item of a session's context"],
  ["a", "archive or restore it"],
  ["y", "keep a waiting sentence: that of the row, or the first"],
  ["d", "drop it, or an item of a session's context"],
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
      <Button name="Close" onClick={() => dialog.current?.close()} />
    </dialog>
  );
}
