import { findRecent, HEADINGS, USUAL_DAYS } from "../../layers/7-across-agents/agenda/agenda.js";
import { StrataError } from "../base/error.js";
import { listSwitches } from "../config/setting.js";
import { readLedger, type SessionFigures, sumFigures } from "../costs/figures.js";
import { parseSavingsRecord, type SavingsRecord } from "../costs/savings.js";
import { sumFreed } from "../costs/sums.js";
import { decodeText } from "../io/files.js";
import { readJsonLines } from "../io/json-lines.js";
import { createGit } from "../io/node-git.js";
import { readSafePage } from "../notes/session-files.js";
import type { Core } from "../operations/core.js";
import { openAgenda } from "../operations/handover/agenda.js";
import { readSessions as readFacts } from "../operations/handover/sessions.js";
import { lookAtCandidates } from "../operations/open-candidates.js";
import { openOwnState, type Project } from "../operations/project.js";
import { isFileName } from "../project/folders.js";
import { PERSON } from "../project/other-instances.js";
import { type ContextItems, readContextItems } from "../status/context-items.js";
import { readMemoryStatus } from "../status/memory-status.js";
import { readSessionScreen } from "../status/session-screen.js";
import { readTitles } from "../status/session-titles.js";
import { readStatus } from "../status/status.js";
import type { AgendaPage, Counts, LogEntry, LogPage, Overview, SessionPage, SessionRow } from "./answers.js";
import { readMemories, readMemoryPage, readSteps, readWaiting } from "./memories.js";
import type { ProjectQueue } from "./project-queue.js";

type View = (queue: ProjectQueue, query: URLSearchParams) => Promise<unknown>;

/** Maximum characters of a search; more would not change the result. */
const LONGEST_SEARCH = 500;

const views: Readonly<Record<string, View>> = {
  overview: (queue) => queue.inTurn(readOverview),
  counts: (queue) => queue.inTurn(readCounts),
  sessions: (queue) => queue.inTurn(readSessions),
  session: (queue, query) => queue.inTurn((project) => readSessionPage(project, query.get("id") ?? "")),
  memories: (queue, query) =>
    queue.withCore((core) =>
      readMemories(core, {
        words: (query.get("words") ?? "").trim().slice(0, LONGEST_SEARCH),
        withArchived: query.get("archived") === "1",
      }),
    ),
  memory: (queue, query) => queue.withCore((core) => readMemoryPage(core, query.get("id") ?? "")),
  waiting: (queue) => queue.withCore(readWaiting),
  agenda: (queue) => queue.withCore(readAgenda),
  steps: (queue, query) =>
    queue.inTurn((project) => readSteps(project, { onlyDreams: query.get("dreams") === "1" })),
  log: (queue) => queue.inTurn(readLog),
};

/** Reads a view by its address, such as `session?id=ses_1`. @throws StrataError NO_VIEW and those of the views */
export async function readView(queue: ProjectQueue, address: string): Promise<unknown> {
  const [name = "", query = ""] = address.split("?", 2);
  const read = Object.hasOwn(views, name) ? views[name] : undefined;
  if (!read) throw new StrataError("NO_VIEW", `there is no view ${JSON.stringify(address.slice(0, 80))}`);
  return read(queue, new URLSearchParams(query));
}

async function readAgenda({ memories }: Core, project: Project): Promise<AgendaPage> {
  const all = await openAgenda(project, memories).read();
  const items = findRecent(all, { nowMs: project.cli.clock.now(), days: USUAL_DAYS });
  return { headings: HEADINGS, person: PERSON, items, older: all.length - items.length };
}

const MOST_BYTES = 256 * 1024;
const MOST_ENTRIES = 500;
/** The format of `formatLogLine`. */
const LINE = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) (\w+) +(\S+) +(.*)$/;

/** Reads the end of the log. */
async function readLog({ cli, folders }: Project): Promise<LogPage> {
  const { files } = cli;
  const stat = await files.statItself(folders.log);
  if (stat?.kind !== "file") return { path: folders.log, entries: [] };
  const from = Math.max(0, stat.bytes - MOST_BYTES);
  const bytes = await files.readFrom(folders.log, from, { links: "refused", maxBytes: MOST_BYTES });
  return { path: folders.log, entries: parseLog(bytes ? decodeText(bytes) : "") };
}

/** Newest first. Leaves out lines in another format, such as a first line that is cut. */
export function parseLog(text: string): LogEntry[] {
  return text
    .split("\n")
    .flatMap((line): LogEntry[] => {
      const [, day, time, level = "", source = "", message = ""] = LINE.exec(line) ?? [];
      return day === undefined ? [] : [{ time: `${day}T${time}Z`, level, source, message }];
    })
    .slice(-MOST_ENTRIES)
    .reverse();
}

const MOST_DAYS = 30;

/** The figures of `strata status` and `strata stats`. */
async function readOverview(project: Project): Promise<Overview> {
  const { clock } = project.cli;
  const { config, layers, problems } = await project.settings();
  const { files } = openOwnState(project);
  const switches = listSwitches(layers.map(({ settings }) => settings));
  const candidates = lookAtCandidates(project);
  const status = await readStatus(
    { candidates, clock, files, git: createGit() },
    project.folders,
    config,
    switches,
  );
  const { days, sessions } = sumFigures((await readLedger(files, project.folders.savings)).sessions);
  return {
    saved: status.saved,
    totals: status.savings,
    requests: sessions.reduce((sum, { requests }) => sum + requests.length, 0),
    days: days.slice(-MOST_DAYS).map(({ day, saved, totals }) => ({
      ...{ day, saved },
      ...{ tokensFreed: totals.tokensFreed, cacheLost: totals.cacheLost },
    })),
    memories: status.memories,
    ...(status.candidates !== undefined && { candidates: status.candidates }),
    conflicts: status.conflicts.length,
    blockers: status.blockers,
    results: status.results,
    ...(status.background && { background: status.background }),
    layers: Object.entries(status.layers).map(([name, isOn]) => ({ name, isOn })),
    problems: [...problems, ...status.problems],
  };
}

async function readCounts(project: Project): Promise<Counts> {
  const { cli, folders } = project;
  const [{ conflicts }, candidates = 0] = await Promise.all([
    readMemoryStatus(cli.files, folders.memory),
    lookAtCandidates(project).count(),
  ]);
  return { waiting: conflicts.length + candidates };
}

/* Reads the sessions of a project, and one session in full. */

const MOST_SESSIONS = 100;
const MOST_REQUESTS = 600;
const MOST_ACTIONS = 200;
const MOST_ITEMS = 30;

/** Last used first. */
async function readSessions(project: Project): Promise<readonly SessionRow[]> {
  const { files } = openOwnState(project);
  const { folders } = project;
  const facts = new Map((await readFacts(project, MOST_SESSIONS)).map((one) => [one.id, one]));
  const titles = await readTitles(files, folders.sessions);
  const ledger = await readLedger(files, folders.savings);
  const figures = new Map(sumFigures(ledger.sessions, titles).sessions.map((one) => [one.sessionID, one]));
  const rows = [...new Set([...facts.keys(), ...figures.keys()])].map((id): SessionRow => {
    const [known, summed] = [facts.get(id), figures.get(id)];
    const title = known?.title ?? summed?.title;
    const about = known?.doing ?? known?.goal;
    return {
      id,
      ...(title !== undefined && { title }),
      ...(about !== undefined && { about }),
      lastActive: [known?.lastActive ?? "", summed?.lastUsed ?? ""].sort().at(-1) ?? "",
      ...(known && { phase: known.phase }),
      openTodos: known?.openTodos ?? 0,
      requests: summed?.requests.length ?? 0,
      ...(summed && { saved: summed.saved }),
    };
  });
  const newest = rows.sort((a, b) => b.lastActive.localeCompare(a.lastActive)).slice(0, MOST_SESSIONS);
  return Promise.all(
    newest.map(async (row) => {
      const screen = isFileName(row.id) ? await readSessionScreen(files, folders, row.id) : undefined;
      return screen ? { ...row, context: screen.context } : row;
    }),
  );
}

/** @throws StrataError NO_SESSION */
async function readSessionPage(project: Project, id: string): Promise<SessionPage> {
  if (!isFileName(id))
    throw new StrataError("NO_SESSION", `expected the id of a session, ${JSON.stringify(id)} came`);
  const { files } = openOwnState(project);
  const { folders } = project;
  const [screen, items, notes, titles, { records }] = await Promise.all([
    readSessionScreen(files, folders, id),
    readContextItems(files, folders, id),
    readSafePage({ files, folder: folders.sessionMemory }, id),
    readTitles(files, folders.sessions),
    readJsonLines(files, `${folders.savings}/${id}.jsonl`, parseSavingsRecord),
  ]);
  if (!screen && notes === undefined && records.length === 0)
    throw new StrataError("NO_SESSION", `session ${id} is unknown; it may belong to another project`);
  const [figures] = sumFigures(new Map([[id, records]])).sessions;
  const title = titles.get(id) ?? screen?.title;
  const lastActive = screen?.time ?? figures?.lastUsed;
  return {
    id,
    ...(title !== undefined && { title }),
    ...(lastActive !== undefined && lastActive !== "" && { lastActive }),
    ...(screen && { screen }),
    ...describeFigures(figures as SessionFigures),
    ...describeActions(records),
    ...(items && { items: describeItems(items) }),
    ...(notes !== undefined && { notes }),
  };
}

function describeFigures({ replacements, requests, saved, totals }: SessionFigures) {
  const left = Math.max(0, requests.length - MOST_REQUESTS);
  return {
    saved,
    totals,
    requests: requests.slice(left),
    replacements: replacements.map((number) => number - left).filter((number) => number > 0),
  };
}

/** All records except the requests themselves, newest first. */
function describeActions(
  records: readonly SavingsRecord[],
): Pick<SessionPage, "layerActions" | "freed" | "moreLayerActions"> {
  const all = records.filter(({ event }) => event !== "answer").reverse();
  const layerActions = all.slice(0, MOST_ACTIONS);
  return { freed: sumFreed(records), layerActions, moreLayerActions: all.length - layerActions.length };
}

function describeItems({ items, omitted }: ContextItems): NonNullable<SessionPage["items"]> {
  const shown = items.slice(0, MOST_ITEMS);
  return { shown, more: items.length - shown.length + omitted };
}
