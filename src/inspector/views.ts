/** The views of the API, by the last part of the URL. */
import { USUAL_DAYS } from "../../layers/7-across-agents/agenda/answer-agenda.js";
import { findRecent, HEADINGS } from "../../layers/7-across-agents/agenda/format-agenda.js";
import { StrataError } from "../base/error.js";
import { openAgenda } from "../operations/handover/agenda.js";
import type { Project } from "../operations/project.js";
import { PERSON } from "../project/lease.js";
import type { AgendaPage } from "./answers.js";
import type { ProjectQueue } from "./project-queue.js";
import { readLog } from "./read-log.js";
import { readMemories, readMemoryPage } from "./read-memories.js";
import { readCounts, readOverview } from "./read-overview.js";
import { readSessionPage, readSessions } from "./read-sessions.js";
import { readSteps } from "./read-steps.js";
import { readWaiting } from "./waiting.js";

type View = (queue: ProjectQueue, query: URLSearchParams) => Promise<unknown>;

/** Maximum characters of a search; more would not change the result. */
const LONGEST_SEARCH = 500;

const views: Readonly<Record<string, View>> = {
  overview: (queue) => queue.inTurn(readOverview),
  counts: (queue) => queue.inTurn(readCounts),
  sessions: (queue) => queue.inTurn(readSessions),
  session: (queue, query) => queue.inTurn((project) => readSessionPage(project, query.get("id") ?? "")),
  memories: (queue, query) =>
    queue.withStore((memories, project) =>
      readMemories(memories, project, {
        words: (query.get("words") ?? "").trim().slice(0, LONGEST_SEARCH),
        withArchived: query.get("archived") === "1",
      }),
    ),
  memory: (queue, query) =>
    queue.withStore((memories, project) => readMemoryPage(memories, project, query.get("id") ?? "")),
  waiting: (queue) => queue.withStore(readWaiting),
  agenda: (queue) => queue.inTurn(readAgenda),
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

async function readAgenda(project: Project): Promise<AgendaPage> {
  const all = await openAgenda(project).read();
  const items = findRecent(all, { nowMs: project.cli.clock.now(), days: USUAL_DAYS });
  return { headings: HEADINGS, person: PERSON, items, older: all.length - items.length };
}
