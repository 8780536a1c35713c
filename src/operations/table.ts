/**
 * Every operation, once. A new verb is a row here and its function beside; each door has it then. Only the command line
 * has what is not a question and an answer about an open project: `serve` and `mcp` run until they are stopped, `learn`
 * prints as it reads and may be interrupted, `init` runs where there is no project yet, `completion` is about the commands.
 */
import type { Action } from "../status/context-items.js";
import type { Caller, Effect, Operation, OperationEntry } from "./operation.js";

/** An operation of a module that is loaded when it is called. */
const from =
  <M>(load: () => Promise<M>) =>
  (name: { [K in keyof M]: M[K] extends Pick<Operation, "input"> ? K : never }[keyof M]) =>
  async (): Promise<Operation> =>
    (await load())[name] as Operation;

const find = from(() => import("./find.js"));
const change = from(() => import("./change.js"));
const contextModule = () => import("./context.js");
const waiting = from(() => import("./candidates.js"));
const dreaming = from(() => import("./dream.js"));
const conflicts = from(() => import("./reconcile.js"));
const backups = from(() => import("./backup.js"));
const agenda = from(() => import("./handover/agenda.js"));
const checkpoints = from(() => import("./handover/checkpoints.js"));
const figures = from(() => import("./status.js"));
const sharing = from(() => import("./sync.js"));
const conversations = from(() => import("./conversations.js"));
const transfer = from(() => import("./transfer/import.js"));

type Row = Omit<OperationEntry, "name"> & { name?: string };
const rowOf =
  (who: readonly Caller[], effect: Effect, where: Pick<Row, "isForTerminal">) =>
  (does: string, load: OperationEntry["load"], more: Partial<Row> = {}): Row => ({
    ...{ does, effect, who, load, ...where },
    ...more,
  });
const rowsFor = (who: readonly Caller[], where: Pick<Row, "isForTerminal"> = {}) => ({
  reads: rowOf(who, "reads", where),
  writes: rowOf(who, "writes", where),
  destroys: rowOf(who, "destroys", where),
});
const everybody = rowsFor(["person", "agent", "client"]);
const local = rowsFor(["person", "agent"]);
const person = rowsFor(["person"]);
const terminal = rowsFor(["person", "agent"], { isForTerminal: true });
const ownTerminal = rowsFor(["person"], { isForTerminal: true });

/** Called by the name of its group and its own, which alone was its name once. */
const within = (group: string, name: string, takes: string) => ({
  name: `${group} ${name}`,
  was: [name],
  takes,
});
const ofMemory = (name: string) => ({ ...within("memory", name, "name"), first: "memory" as const });

const steering = (action: Action, does: string, more: Partial<Row> = {}): Row =>
  local.writes(does, async () => (await contextModule()).steer(action), {
    takes: "ids",
    example: `strata context ${action} r-3fa2b1c`,
    was: [action],
    ...more,
  });

/** In the order of the help. An operation is called as its key, unless it says otherwise. */
const rows = {
  status: terminal.reads(
    "shows what has left the context, what that saved, and which layers are on",
    figures("status"),
    { example: "strata status --json | jq .savings.net" },
  ),
  stats: terminal.writes(
    "shows what was saved, by session; with --open, the inspector draws it",
    figures("stats"),
    { example: "strata stats --open" },
  ),
  try: terminal.reads(
    "says what OpenCode's past sessions of this project would have cost with Strata; writes and sends nothing",
    from(() => import("./try.js"))("tryPast"),
    { example: "strata try --sessions 10", name: "stats try", aliases: ["try"] },
  ),
  context: local.reads(
    "lists what is in a session's context, largest first, and what each change would free and cost",
    from(contextModule)("list"),
    { example: "strata context --json | jq '.items[0]'" },
  ),
  "context drop": steering("drop", "takes things out of the context, by the ids that strata context shows", {
    wasFor: /^[ritcs]-[0-9a-z]+$/i,
  }),
  "context pin": steering("pin", "keeps a result, an input or a turn in the context: no layer moves it"),
  "context unpin": steering("unpin", "lets the layers move it again"),
  "context expand": steering(
    "expand",
    "brings back, whole and once, what was dropped, cleared or moved to a file",
  ),
  "context undo-cut": steering(
    "undo-cut",
    "sends the messages again that notes have replaced, while they fit",
    { example: "strata context undo-cut --dry-run" },
  ),
  agenda: local.reads("lists open work in all sessions and instances", agenda("agenda"), {
    example: "strata agenda --all",
  }),
  claim: person.writes("claims an agenda item, an issue, a path or a topic for you", agenda("claim"), {
    name: "agenda claim",
    takes: "item",
    example: "strata agenda claim '#34' --hours 2 --why 'the login'",
    was: ["agenda lease claim", "lease claim"],
  }),
  release: person.writes("releases what is claimed, even by an agent", agenda("release"), {
    name: "agenda release",
    takes: "item",
    example: "strata agenda release '#34'",
    was: ["agenda lease release", "lease release"],
  }),
  leases: terminal.reads("lists what is claimed, and by whom", agenda("leases"), {
    name: "agenda leases",
    example: "strata agenda leases",
    was: ["agenda lease list", "agenda lease", "lease list", "lease"],
  }),
  sessions: terminal.reads(
    "lists the sessions of this project with activity, tool calls, open todos and phase",
    from(() => import("./handover/sessions.js"))("sessions"),
    { example: "strata sessions --json | jq '.[0].phase'" },
  ),
  index: terminal.writes(
    "indexes what was said in the sessions of this project, so that recall finds it",
    conversations("index"),
    { name: "sessions index", example: "strata index --all", aliases: ["index"] },
  ),
  "forget session": ownTerminal.destroys(
    "removes a session from the index of conversations, for good; OpenCode keeps it",
    conversations("forget"),
    {
      name: "sessions forget",
      example: "strata forget --session ses_de621e1ccffe32aRZpF4GCVPDG",
      aliases: ["forget"],
    },
  ),
  resume: ownTerminal.writes(
    "shows the session that fits these words best (default: the last used), to open it or give it to a new one",
    checkpoints("resume"),
    {
      name: "sessions resume",
      takes: "words",
      example: "strata sessions resume the parser",
      aliases: ["resume"],
    },
  ),
  checkpoint: terminal.writes(
    "saves the state of a session (notes, todos, plan, changed files, memories) under a name",
    checkpoints("checkpoint"),
    {
      ...within("sessions", "checkpoint", "note"),
      example: "strata sessions checkpoint before the rewrite",
    },
  ),
  attach: ownTerminal.writes(
    "gives a session, a checkpoint or a handoff file to the next new session",
    checkpoints("attach"),
    {
      ...within("sessions", "attach", "source"),
      arguments: "<source>",
      example: "strata sessions attach cp-3fa2b1c",
    },
  ),
  handoff: terminal.writes(
    "writes a session or checkpoint as one Markdown file, for another person or machine",
    checkpoints("handoff"),
    {
      ...within("sessions", "handoff", "source"),
      arguments: "[source]",
      example: "strata sessions handoff cp-3fa2b1c --file handoff.md",
    },
  ),
  list: everybody.reads(
    "lists the memories of this project and the global ones",
    from(() => import("./list.js"))("list"),
    { example: "strata list --type decision" },
  ),
  show: everybody.reads(
    "shows one memory and its source, by its id, the end of the id, or words of its title",
    find("show"),
    { takes: "name", example: "strata show port-8080", first: "memory" },
  ),
  recall: everybody.reads(
    "finds memories and what was said in conversations, best first; without words, an overview",
    find("recall"),
    { takes: "words", example: "strata recall 'which port does the server use'" },
  ),
  remember: everybody.writes(
    "stores a memory; without a type, it gets the one that it would get in OpenCode",
    change("remember"),
    {
      takes: "content",
      example: "strata remember --type decision 'The server listens on port 8080'",
      aliases: ["capture"],
    },
  ),
  todo: person.reads("lists what only you can decide, each with its command", figures("todo"), {
    example: "strata todo",
  }),
  candidates: person.reads("lists sentences that may become memories", waiting("list"), {
    example: "strata candidates",
  }),
  keep: person.writes("turns candidates into memories, by the ids that the list shows", waiting("keep"), {
    ...within("candidates", "keep", "ids"),
    example: "strata candidates keep 3fa2b1",
  }),
  drop: person.destroys("forgets candidates; they do not come back", waiting("drop"), {
    ...within("candidates", "drop", "ids"),
    example: "strata candidates drop 3fa2b1",
  }),
  why: person.reads(
    "says why what you said was kept or not, who judged it, and what you can do about it",
    waiting("why"),
    { ...within("candidates", "why", "words"), example: "strata candidates why invoice numbers" },
  ),
  edit: person.writes("replaces a memory's title, text and tags", change("edit"), { takes: "name" }),
  "edit file": terminal.writes(
    "opens a memory's file in $VISUAL or $EDITOR",
    from(() => import("./edit.js"))("editFile"),
    { ...ofMemory("edit"), arguments: "<words...>", example: "strata memory edit port-8080" },
  ),
  archive: everybody.destroys(
    "moves a memory, or all that the options select, to the archive in one step",
    change("archive"),
    { ...ofMemory("archive"), example: "strata memory archive --type idea --older-than 180 --dry-run" },
  ),
  restore: everybody.writes("restores a memory from the archive", change("restore"), {
    ...ofMemory("restore"),
    first: "archived memory",
    example: "strata memory restore port-8080",
  }),
  pin: person.writes("always keeps a memory in the index", change("pin"), {
    takes: "name",
    example: "strata memory pin port-8080",
    name: "memory pin",
    first: "memory",
  }),
  unpin: person.writes("lets a memory leave the index again", change("unpin"), {
    takes: "name",
    example: "strata memory unpin port-8080",
    name: "memory unpin",
    first: "memory",
  }),
  publish: person.writes(
    "lets git see a memory that it ignores (a preference, a correction, a private one), for good",
    change("publish"),
    { ...ofMemory("publish"), example: "strata memory publish preference/tabs-over-spaces" },
  ),
  history: everybody.reads("every change of a memory: when, by whom, why", find("history"), {
    ...ofMemory("history"),
    example: "strata memory history decision/port-8080",
  }),
  trust: local.writes(
    "lists memories that came with the repository, accepts them, or takes that back",
    change("trust"),
    { example: "strata trust --yes" },
  ),
  undo: person.writes(
    "undoes the last change to memory or the last dream; run it again for the one before",
    dreaming("undo"),
    { example: "strata undo --run 1f20c9d1" },
  ),
  dream: local.writes(
    "tidies the memories of this project by rules; only /dream in OpenCode may ask a model",
    dreaming("dream"),
    {
      example: "strata dream --dry-run",
      aliases: ["digest", "distill", "merge", "reduce", "optimize", "gc", "hygiene", "cleanup"],
    },
  ),
  check: terminal.reads(
    "finds damage and secrets in memories, ledgers and their files",
    from(() => import("./check.js"))("check"),
    { example: "strata check", aliases: ["validate"] },
  ),
  decide: person.writes("decides a conflict between two versions of a memory", conflicts("decide")),
  reconcile: terminal.writes(
    "shows open conflicts (two versions of one memory) and decides one; resolves a blocker that you name",
    conflicts("reconcile"),
    {
      takes: "words",
      example: "strata reconcile server-port-1a2b3c4d --keep that",
      aliases: ["resolve"],
      arguments: "[conflict...]",
    },
  ),
  backup: terminal.writes(
    "writes memories, notes, results and savings to one verified file",
    backups("backup"),
    { takes: "file", example: "strata backup ~/strata.jsonl.gz", arguments: "[file]" },
  ),
  restoreBackup: terminal.writes("restores missing files from a backup", backups("restoreBackup"), {
    name: "backup restore",
    takes: "file",
    example: "strata backup restore ~/strata.jsonl.gz",
    arguments: "<file>",
  }),
  bootstrap: terminal.writes(
    "stores facts from the project's own files: commands, versions, layout, CI, and rules for other agents",
    from(() => import("./bootstrap.js"))("bootstrap"),
    { takes: "folders", example: "strata bootstrap --dry-run", arguments: "[folders...]" },
  ),
  export: terminal.writes(
    "writes memories as JSON Lines, byte for byte, to standard output or a new file",
    transfer("give"),
    { takes: "file", example: "strata export memories.jsonl", arguments: "[file]" },
  ),
  import: terminal.writes(
    "reads a file from strata export, a JSON export of another memory tool, a .memory folder, or a folder with a MEMORY.md",
    transfer("take"),
    { takes: "source", example: "strata import memories.jsonl --dry-run", arguments: "<source>" },
  ),
  "import markdown": terminal.writes(
    "turns Markdown files into memories, one for each heading; a heading such as Decisions sets the type",
    transfer("takeMarkdown"),
    {
      takes: "files",
      example: "strata import markdown docs/decisions.md --type decision",
      was: ["ingest"],
      arguments: "<files...>",
    },
  ),
  sync: terminal.reads(
    "shows over which git remotes memories are shared, and what waits to be sent",
    sharing("status"),
    { example: "strata sync --json", was: ["sync status"] },
  ),
  "sync init": ownTerminal.writes("shares memories over a git remote from now on", sharing("init"), {
    takes: "remote",
    example: "strata sync init git@github.com:me/memories.git",
    arguments: "<remote>",
  }),
  "sync push": terminal.writes("fetches others' changes of memory and sends yours", sharing("push"), {
    example: "strata sync push",
    aliases: ["push"],
  }),
  "sync pull": terminal.writes("fetches others' changes of memory", sharing("pull"), {
    example: "strata sync pull",
    aliases: ["pull"],
  }),
  enrich: terminal.writes(
    "asks GitLab and GitHub for title, state and labels of the issues that memories name: !12, #34, &5, URLs",
    from(() => import("./enrich.js"))("enrich"),
    { takes: "entities", example: "strata enrich '#34'", arguments: "[entities...]" },
  ),
  doctor: terminal.reads(
    "checks configuration and machine, then plays a session to prove that the plugin works",
    from(() => import("./doctor/doctor.js"))("doctor"),
    { example: "strata doctor", aliases: ["diagnose"] },
  ),
};

export const operations = Object.fromEntries(
  Object.entries(rows).map(([name, row]: [string, Row]) => [name, { name, ...row }]),
) as Readonly<Record<keyof typeof rows, OperationEntry>>;
