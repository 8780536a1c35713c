/** What the page shows beyond what operations answer. */
import { randomUUID } from "node:crypto";
import { findRecent, HEADINGS, USUAL_DAYS } from "../../layers/7-across-agents/agenda/agenda.js";
import { StrataError } from "../base/error.js";
import { groupBy } from "../base/shape.js";
import { parseSavingsRecord, type SavingsRecord } from "../costs/savings.js";
import { readLedger as readSavings, type SessionFigures, sumFigures, sumFreed } from "../costs/sums.js";
import { decodeText, pathBelow } from "../io/files.js";
import { readJsonLines } from "../io/json-lines.js";
import { formatJudge } from "../memory/in-words.js";
import { type LedgerLine, sortByTime } from "../memory/store/ledger.js";
import { readSafePage } from "../notes/session-files.js";
import { findRevision } from "../operations/change.js";
import { openAgenda } from "../operations/handover/agenda.js";
import { readSessions as readFacts } from "../operations/handover/sessions.js";
import { listPlaces, readLedger } from "../operations/memory-files.js";
import { type Core, createTerminalCore, withCore } from "../operations/operation.js";
import { openOwnState } from "../operations/own-state.js";
import { isInAgentsShell, openProject, type Project } from "../operations/project.js";
import { readOpen } from "../operations/reconcile.js";
import { openConflictLog } from "../operations/record-rivals.js";
import { readProjectStatus } from "../operations/status.js";
import { isFileName } from "../project/folders.js";
import { PERSON } from "../project/instances.js";
import { type ContextItems, describeItem, readContextItems } from "../status/context-items.js";
import { readSessionScreen, readTitles } from "../status/session-screen.js";
import { readToolCosts } from "../status/tool-costs.js";

/**
 * Runs the inspector's work on a project one task at a time: two stores open at once in one process would each consider
 * the other gone. The queues of other projects open the global memories too, so each queue has its own instance name.
 */
export function createProjectQueue(given: Project) {
  let last: Promise<unknown> = Promise.resolve();
  // Nobody who clicks looks at the server's terminal: a question there would hold up the page for ever.
  const { ask: _, press: __, ...unattended } = given.cli;
  const cli = {
    ...unattended,
    folder: given.root,
    instance: `inspector-${randomUUID().slice(0, 8)}`,
    say() {},
    // A click in the page counts like input in the terminal that started the server, if there is one.
    ...(given.cli.draw && { draw() {} }),
  };

  return {
    inTurn,
    /** For the person at the page, if no agent has started the server. */
    withCore: <T>(run: (core: Core, project: Project) => Promise<T>): Promise<T> =>
      inTurn(async (project) => {
        const caller = (await isInAgentsShell(project.cli)) ? "agent" : "person";
        return withCore(project, caller, (core) => run(core, project));
      }),
  };

  /** Opens the project with its current settings. Rejects with StrataError NO_PROJECT if it is gone. */
  function inTurn<T>(run: (project: Project) => Promise<T>): Promise<T> {
    const done = last.then(async () => run(await open()));
    last = done.catch(() => {});
    return done;
  }

  async function open(): Promise<Project> {
    const project = await openProject(cli);
    if (project.root === given.root) return project;
    throw new StrataError(
      "NO_PROJECT",
      `expected the project ${given.root}, but it is gone, or part of ${project.root} now; start strata serve again`,
    );
  }
}

export type ProjectQueue = ReturnType<typeof createProjectQueue>;

type View = (queue: ProjectQueue, query: URLSearchParams) => Promise<unknown>;

const views: Readonly<Record<string, View>> = {
  overview: (queue) => queue.inTurn(readOverview),
  sessions: (queue) => queue.inTurn(readSessions),
  session: (queue, query) => queue.inTurn((project) => readSessionPage(project, query.get("id") ?? "")),
  memory: (queue, query) => queue.withCore((core) => readMemoryPage(core, query.get("id") ?? "")),
  conflicts: (queue) => queue.withCore(readConflicts),
  agenda: (queue) => queue.withCore(readAgenda),
  steps: (queue, query) => queue.inTurn((project) => readSteps(project, query.get("dreams") === "1")),
  log: (queue) => queue.inTurn(readLog),
};

/** Reads a view. @throws StrataError NO_VIEW and those of the views */
export async function readView(queue: ProjectQueue, name: string, query: URLSearchParams): Promise<unknown> {
  const read = Object.hasOwn(views, name) ? views[name] : undefined;
  if (!read) throw new StrataError("NO_VIEW", `there is no view ${JSON.stringify(name.slice(0, 80))}`);
  return read(queue, query);
}

/* The project. */

export type Overview = Awaited<ReturnType<typeof readOverview>>;

const MOST_DAYS = 30;

/** The figures of `strata status` and `strata stats`; the last days, oldest first. */
async function readOverview(project: Project) {
  const { days, sessions: _, ...status } = await readProjectStatus(project);
  return { ...status, days: days.slice(-MOST_DAYS) };
}

export type AgendaPage = Awaited<ReturnType<typeof readAgenda>>;

/** `person`: the instance of a person's claims. */
async function readAgenda({ memories }: Core, project: Project) {
  const all = await openAgenda(project, memories).read();
  const items = findRecent(all, { nowMs: project.cli.clock.now(), days: USUAL_DAYS });
  return { headings: HEADINGS, person: PERSON, items, older: all.length - items.length };
}

const MOST_BYTES = 256 * 1024;
const MOST_ENTRIES = 500;
/** The format of `formatLogLine`. */
const LINE = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) (\w+) +(\S+) +(.*)$/;

export type LogPage = Awaited<ReturnType<typeof readLog>>;

/** Reads the end of the log. */
async function readLog({ cli, folders }: Project) {
  const { files } = cli;
  const stat = await files.statItself(folders.log);
  const from = Math.max(0, (stat?.bytes ?? 0) - MOST_BYTES);
  const bytes =
    stat?.kind === "file"
      ? await files.readFrom(folders.log, from, { links: "refused", maxBytes: MOST_BYTES })
      : undefined;
  return { path: folders.log, entries: parseLog(bytes ? decodeText(bytes) : "") };
}

/** Newest first. Leaves out lines in another format, such as a first line that is cut. */
export function parseLog(text: string) {
  return text
    .split("\n")
    .flatMap((line) => {
      const [, day, time, level = "", source = "", message = ""] = LINE.exec(line) ?? [];
      return day === undefined ? [] : [{ time: `${day}T${time}Z`, level, source, message }];
    })
    .slice(-MOST_ENTRIES)
    .reverse();
}

/* The sessions of a project, and one session in full. */

const MOST_SESSIONS = 100;
const MOST_REQUESTS = 600;
const MOST_ACTIONS = 200;
const MOST_ITEMS = 30;

export type SessionRow = Awaited<ReturnType<typeof readSessions>>[number];

/** Last used first. `about`: the user's first request, or what the agent is doing. */
async function readSessions(project: Project) {
  const { files } = openOwnState(project);
  const { folders } = project;
  const facts = new Map((await readFacts(project, MOST_SESSIONS)).map((one) => [one.id, one]));
  const titles = await readTitles(files, folders.sessions);
  const { sessions } = sumFigures((await readSavings(files, folders.savings)).sessions, titles);
  const figures = new Map(sessions.map((one) => [one.sessionID, one]));
  const rows = [...new Set([...facts.keys(), ...figures.keys()])].map((id) => {
    const [known, summed] = [facts.get(id), figures.get(id)];
    return {
      id,
      title: known?.title ?? summed?.title,
      about: known?.doing ?? known?.goal,
      lastActive: [known?.lastActive ?? "", summed?.lastUsed ?? ""].sort().at(-1) ?? "",
      phase: known?.phase,
      openTodos: known?.openTodos ?? 0,
      requests: summed?.requests.length ?? 0,
      saved: summed?.saved,
    };
  });
  const newest = rows.sort((a, b) => b.lastActive.localeCompare(a.lastActive)).slice(0, MOST_SESSIONS);
  return Promise.all(
    newest.map(async (row) => {
      const screen = isFileName(row.id) ? await readSessionScreen(files, folders, row.id) : undefined;
      return { ...row, context: screen?.context };
    }),
  );
}

export type SessionPage = Awaited<ReturnType<typeof readSessionPage>>;

/** `screen` is absent if the session has sent no request since this record exists. @throws StrataError NO_SESSION */
async function readSessionPage(project: Project, id: string) {
  if (!isFileName(id))
    throw new StrataError("NO_SESSION", `expected the id of a session, got ${JSON.stringify(id)}`);
  const { files } = openOwnState(project);
  const { folders } = project;
  const requests = await createTerminalCore(project, "person").contextRequests();
  const [tools, screen, items, notes, titles, { records }, { waiting }] = await Promise.all([
    readToolCosts(files, folders, project.cli.clock.now()),
    readSessionScreen(files, folders, id),
    readContextItems(files, folders, id),
    readSafePage({ files, folder: folders.sessionMemory }, id),
    readTitles(files, folders.sessions),
    readJsonLines(files, `${folders.savings}/${id}.jsonl`, parseSavingsRecord),
    requests.read(),
  ]);
  if (!screen && notes === undefined && records.length === 0)
    throw new StrataError("NO_SESSION", `session ${id} is unknown; it may belong to another project`);
  return {
    ...{ id, screen, notes, tools },
    title: titles.get(id) ?? screen?.title,
    ...describeFigures(id, records, screen?.time),
    ...describeActions(records),
    items: items && describeItems(items, waiting),
  };
}

/** The newest requests, oldest first, and the numbers, from 1, of those before which history was replaced. */
function describeFigures(id: string, records: readonly SavingsRecord[], time: string | undefined) {
  const [figures] = sumFigures(new Map([[id, records]])).sessions;
  const { lastUsed, replacements, requests, saved, totals } = figures as SessionFigures;
  const left = Math.max(0, requests.length - MOST_REQUESTS);
  return {
    ...{ saved, totals, requests: requests.slice(left) },
    lastActive: (time ?? lastUsed) || undefined,
    replacements: replacements.map((number) => number - left).filter((number) => number > 0),
  };
}

/** What each layer did, newest first, and the tokens that it removed; all records but the requests themselves. */
function describeActions(records: readonly SavingsRecord[]) {
  const all = records.filter(({ event }) => event !== "answer").reverse();
  const layerActions = all.slice(0, MOST_ACTIONS);
  return { freed: sumFreed(records), layerActions, moreLayerActions: all.length - layerActions.length };
}

type Waiting = Pick<ContextItems, "session"> & { item: string; action: string; id: string };

/** `asked`: what is asked for and not done yet. */
function describeItems({ items, omitted, session }: ContextItems, waiting: readonly Waiting[]) {
  const shown = items.slice(0, MOST_ITEMS).map((item) => ({
    ...describeItem(item),
    asked: waiting.findLast((one) => one.session === session && one.item === item.id),
  }));
  return { shown, more: items.length - shown.length + omitted };
}

/* One memory. */

export type MemoryPage = Awaited<ReturnType<typeof readMemoryPage>>;

/** `revision`: an edit has to name it, to prove that it is based on this version. @throws StrataError NO_MEMORY */
async function readMemoryPage({ memories, root }: Core, id: string) {
  const memory = (await memories.list({ archived: true })).find((one) => one.id === id);
  if (!memory)
    throw new StrataError("NO_MEMORY", `there is no memory ${JSON.stringify(id)}; it may have been renamed`);
  const path = await memories.locate(id);
  return {
    memory,
    /** Who judged that it is to be kept, and why. */
    judge: formatJudge(memory),
    revision: findRevision(memory),
    /** Relative to the project; absent if the file is elsewhere. */
    path: path && pathBelow(root, path),
    uses: memories.useOf(id)?.count ?? 0,
    changes: planChanges(await memories.history(id)),
  };
}

/* Changes, from the ledger: those of one memory, or all, grouped into steps that can be undone as a whole. */

const MOST_STEPS = 60;
const MOST_CHANGES = 50;
/** Characters of a text; a longer one is cut. */
const LONGEST_TEXT = 20_000;

export type Steps = Awaited<ReturnType<typeof readSteps>>;
export type Step = Steps["steps"][number];
export type Change = ReturnType<typeof describeChange>;

/** Steps of project and global memories, a dream or a single change each, newest first. Writes nothing. */
async function readSteps(project: Project, onlyDreams: boolean) {
  const { cli, log } = project;
  const places = listPlaces(project);
  const ledgers = await Promise.all(places.map((place) => readLedger({ files: cli.files, log }, place)));
  const lines = sortByTime(ledgers.flat());
  const runs = groupBy(lines, runOf);
  const all = [...runs.values()].filter(([first]) => !onlyDreams || first?.operation === "dream").reverse();
  const undone = new Set(lines.map(({ undoes }) => undoes));
  const texts = readTexts(lines);
  const steps = all.slice(0, MOST_STEPS).map((own) => {
    const { at, by, operation, reason, undoes, ...first } = own[0] as LedgerLine;
    const isUndone = undone.has(runOf(first));
    return {
      ...{ run: runOf(first), at, operation, by, isUndone },
      reason: own.length === 1 ? reason : undefined,
      canUndo: by === "strata" && undoes === undefined && !isUndone,
      changes: own.slice(0, MOST_CHANGES).map((line) => describeChange(line, texts)),
      moreChanges: Math.max(0, own.length - MOST_CHANGES),
    };
  });
  return { steps, more: all.length - steps.length };
}

/** The changes of one memory, newest first. Pure. */
function planChanges(lines: readonly LedgerLine[]): Change[] {
  const texts = readTexts(lines);
  const newest = sortByTime(lines).slice(-MOST_CHANGES).reverse();
  return newest.map((line) => describeChange(line, texts));
}

/** The texts in the ledger, by their hash. */
const readTexts = (lines: readonly LedgerLine[]): ReadonlyMap<string | null, string> =>
  new Map(lines.flatMap(({ after, contents }) => (contents === undefined ? [] : [[after, contents]])));

/** `run` identifies this change, and all made in the same step, for undo. */
function describeChange(line: LedgerLine, texts: ReadonlyMap<string | null, string>) {
  const { after, at, before, by, from, id, key, operation, path, reason } = line;
  return {
    ...{ id, memory: key, at, by, operation, reason, run: runOf(line) },
    /** The file's text; absent if there was no file or the ledger does not have the text. */
    before: texts.get(before)?.slice(0, LONGEST_TEXT),
    after: texts.get(after)?.slice(0, LONGEST_TEXT),
    movedTo: from === undefined ? undefined : path,
  };
}

const runOf = ({ id, run }: Pick<LedgerLine, "id" | "run">): string => run ?? id;

/* Memories with two versions. */

export type ConflictPair = Awaited<ReturnType<typeof readConflicts>>[number];

/** A version without an id is only in the conflict record; `by` is the session that wrote it, if known. */
async function readConflicts({ memories }: Core, project: Project) {
  const { cli, folders } = project;
  const conflicts = await readOpen({ cli, folders, log: await openConflictLog(project), memories });
  return conflicts.map(({ inUse, name, other, otherText, record }) => ({
    ...{ name, title: record.title, found: record.found },
    this: { id: inUse.id, text: inUse.content, by: record.standingBy },
    that: { id: other?.id, text: otherText, by: record.otherBy },
  }));
}
