/** Every operation, once. A new verb is a row here and its function beside; each door has it then. */
import type { Action } from "../status/context-items.js";
import type { Caller } from "./core.js";
import type { Effect, OperationEntry } from "./operation.js";

const everybody: readonly Caller[] = ["person", "agent", "client"];
const local: readonly Caller[] = ["person", "agent"];
const person: readonly Caller[] = ["person"];

const find = () => import("./find.js");
const change = () => import("./change.js");
const context = () => import("./context.js");
const waiting = () => import("./candidates.js");
const dreaming = () => import("./dream.js");
const deciding = () => import("./decide.js");
const agenda = () => import("./handover/agenda.js");
const checkpoints = () => import("./handover/checkpoints.js");
const figures = () => import("./status.js");
const sharing = () => import("./sync.js");
const transfer = () => import("./transfer/import.js");

const steer = (action: Action) => async () => (await context()).steer(action);

type Row = Omit<OperationEntry, "name"> & { name?: string };
const rowOf =
  (effect: Effect) =>
  (
    who: readonly Caller[],
    does: string,
    load: OperationEntry["load"],
    more: Partial<Pick<Row, "name" | "takes" | "isForTerminal">> = {},
  ): Row => ({ does, effect, who, load, ...more });
const reads = rowOf("reads");
const writes = rowOf("writes");
const destroys = rowOf("destroys");

/** An operation is called as its key, unless it says otherwise. */
const rows = {
  context: reads(
    local,
    "what stands in a session's context, largest first, and what each change would free and cost",
    async () => (await context()).list,
  ),
  "context drop": writes(
    local,
    "takes things out of the context, by the ids that the list shows",
    steer("drop"),
    { takes: "ids" },
  ),
  "context pin": writes(
    local,
    "keeps a result, an input or a turn in the context: no layer moves it",
    steer("pin"),
    { takes: "ids" },
  ),
  "context unpin": writes(local, "lets the layers move it again", steer("unpin"), { takes: "ids" }),
  "context expand": writes(
    local,
    "brings back, whole and once, what was dropped, cleared or moved to a file",
    steer("expand"),
    { takes: "ids" },
  ),
  "context undo-cut": writes(
    local,
    "sends the messages again that notes have replaced, while they fit",
    steer("undo-cut"),
    { takes: "ids" },
  ),
  list: reads(
    everybody,
    "the memories of this project and those that hold everywhere",
    async () => (await import("./list.js")).list,
  ),
  show: reads(
    everybody,
    "one memory and its source, by its id, the end of the id, or words of its title",
    async () => (await find()).show,
    { takes: "name" },
  ),
  recall: reads(
    everybody,
    "finds memories and what earlier sessions noted, best first; without words, what memory is about",
    async () => (await find()).recall,
    { takes: "words" },
  ),
  history: reads(
    everybody,
    "every change of a memory: when, by whom, why",
    async () => (await find()).history,
    { takes: "name" },
  ),
  remember: writes(
    everybody,
    "stores a memory; without a type it gets the one that it would have in the chat",
    async () => (await change()).remember,
    { takes: "content" },
  ),
  edit: writes(person, "replaces a memory's title, text and tags", async () => (await change()).edit, {
    takes: "name",
  }),
  pin: writes(person, "keeps a memory in the index always", async () => (await change()).pin, {
    takes: "name",
  }),
  unpin: writes(person, "lets a memory leave the index again", async () => (await change()).unpin, {
    takes: "name",
  }),
  archive: destroys(
    everybody,
    "moves a memory, or all that the options select, to the archive in one step",
    async () => (await change()).archive,
    { takes: "name" },
  ),
  restore: writes(everybody, "restores a memory from the archive", async () => (await change()).restore, {
    takes: "name",
  }),
  publish: writes(
    local,
    "lets git see memories of yours that it ignores: a preference, a correction, a private one",
    async () => (await change()).publish,
    { takes: "name" },
  ),
  trust: writes(
    local,
    "lists memories that came with the repository, accepts them, or takes that back",
    async () => (await change()).trust,
  ),
  undo: writes(
    local,
    "undoes the last change to memory, a dream or a single change; again for the one before",
    async () => (await dreaming()).undo,
  ),
  candidates: reads(
    person,
    "lists likely sentences that wait to become memories",
    async () => (await waiting()).list,
  ),
  keep: writes(
    person,
    "makes waiting candidates memories, by the ids that the list shows",
    async () => (await waiting()).keep,
    { takes: "ids" },
  ),
  drop: destroys(
    person,
    "forgets waiting candidates; they do not come back",
    async () => (await waiting()).drop,
    { takes: "ids" },
  ),
  why: reads(
    person,
    "why what you said was kept or not: who judged it, for what reason, and what to do about it",
    async () => (await waiting()).why,
    { takes: "words" },
  ),
  decide: writes(
    person,
    "decides a conflict between two versions of a memory",
    async () => (await deciding()).decide,
  ),
  agenda: reads(local, "lists open work in all sessions and instances", async () => (await agenda()).agenda),
  claim: writes(
    person,
    "claims an item of the agenda, an issue, a path or a topic for you",
    async () => (await agenda()).claim,
    { name: "agenda claim", takes: "item" },
  ),
  release: writes(
    person,
    "releases what is claimed, even by an agent",
    async () => (await agenda()).release,
    { name: "agenda release", takes: "item" },
  ),
  leases: reads(local, "lists what is claimed, and by whom", async () => (await agenda()).leases, {
    name: "agenda leases",
    isForTerminal: true,
  }),
  sessions: reads(
    local,
    "lists the sessions of this project with activity, tool calls, open todos and phase",
    async () => (await import("./handover/sessions.js")).sessions,
    { isForTerminal: true },
  ),
  checkpoint: writes(
    local,
    "saves the state of a session (notes, todos, plan, changed files, memories) under a name",
    async () => (await checkpoints()).checkpoint,
    { name: "sessions checkpoint", takes: "note", isForTerminal: true },
  ),
  attach: writes(
    person,
    "gives a session, a checkpoint or a handoff file to the next new session",
    async () => (await checkpoints()).attach,
    { name: "sessions attach", takes: "source", isForTerminal: true },
  ),
  handoff: writes(
    local,
    "writes a session or checkpoint as one Markdown file, for another person or machine",
    async () => (await checkpoints()).handoff,
    { name: "sessions handoff", takes: "source", isForTerminal: true },
  ),
  status: reads(
    local,
    "what has left the context, what that saved, and which layers are on",
    async () => (await figures()).status,
    { isForTerminal: true },
  ),
  stats: writes(
    local,
    "what was saved, by session; with --open, the inspector draws it",
    async () => (await figures()).stats,
    { isForTerminal: true },
  ),
  dream: writes(
    local,
    "tidies the memories of this project by rules; only /dream in OpenCode may ask a model",
    async () => (await dreaming()).dream,
  ),
  bootstrap: writes(
    local,
    "remembers what the project's own files state: commands, versions, layout, CI, and rules for other agents",
    async () => (await import("./bootstrap.js")).bootstrap,
    { takes: "folders", isForTerminal: true },
  ),
  export: writes(
    local,
    "writes memories as JSON Lines, byte for byte, to standard output or a new file",
    async () => (await transfer()).give,
    { takes: "file", isForTerminal: true },
  ),
  import: writes(
    local,
    "reads a file from strata export, a JSON export of another memory tool, a .memory folder, or a folder with a MEMORY.md",
    async () => (await transfer()).take,
    { takes: "source", isForTerminal: true },
  ),
  "import markdown": writes(
    local,
    "turns Markdown files into memories, one for each heading; a heading such as Decisions sets the type",
    async () => (await transfer()).takeMarkdown,
    { takes: "files", isForTerminal: true },
  ),
  sync: reads(
    local,
    "says over which git remotes memories are shared, and what waits to be sent",
    async () => (await sharing()).status,
    { isForTerminal: true },
  ),
  "sync init": writes(
    person,
    "shares memories over a git remote from now on",
    async () => (await sharing()).init,
    { takes: "remote", isForTerminal: true },
  ),
  "sync push": writes(
    local,
    "fetches others' changes of memory and sends yours",
    async () => (await sharing()).push,
    { isForTerminal: true },
  ),
  "sync pull": writes(local, "fetches others' changes of memory", async () => (await sharing()).pull, {
    isForTerminal: true,
  }),
};

export const operations = Object.fromEntries(
  Object.entries(rows).map(([name, row]: [string, Row]) => [name, { name, ...row }]),
) as Readonly<Record<keyof typeof rows, OperationEntry>>;
