/** The sessions of the project and their state. */
import * as z from "zod";
import { formatAge, formatCounted } from "../../base/format.js";
import { toLine } from "../../base/text.js";
import { findOpenPoints, findQuestion, hasOpenPoints } from "../../notes/handoff.js";
import { listNewestSessions, type ReadSession, readSession } from "../../notes/session-files.js";
import type { Instance } from "../../project/instances.js";
import { readTitles } from "../../status/session-screen.js";
import { amount, defineTerminalOperation } from "../operation.js";
import { openOwnState } from "../own-state.js";
import type { Project } from "../project.js";
import { openLeases } from "./agenda.js";

const USUAL_SESSIONS = 20;
const LONGEST_TEXT = 120;

/**
 * `working`: an agent is at work. `unanswered`: the last request has no answer. `asking`: the agent waits for your answer.
 * `open`: todos or an announced step are left. `done`: nothing is left.
 */
type Phase = "working" | "unanswered" | "asking" | "open" | "done";

/** A session as `--json` prints it. */
type SessionFacts = ReturnType<typeof describe>;

const input = z.object({
  limit: amount(1_000, USUAL_SESSIONS, "maximum number of sessions"),
});

export const sessions = defineTerminalOperation(input, async (project, { limit }, { clock }) => {
  const found = await readSessions(project, limit);
  const lines = found.map((one) => format(one, clock.now()));
  const none = "No session of this project has notes yet: they begin when the agent uses a tool.";
  return { text: found.length === 0 ? none : lines.join("\n"), data: found };
});

/** The newest sessions that ran on this machine. Rejects with the system's error. */
export async function readSessions(project: Project, most: number) {
  const { files, sessions } = openOwnState(project);
  const folder = project.folders.sessionMemory;
  const living = await openLeases(project).living();
  const titles = await readTitles(files, project.folders.sessions);
  const found: SessionFacts[] = [];
  for (const id of await listNewestSessions({ files, folder, sessions, most })) {
    const session = await readSession({ files, folder }, id);
    if (session) found.push(describe(session, { living, title: titles.get(id) }));
  }
  return found;
}

function describe(
  { modifiedMs, path, removed, sessionID, stored }: ReadSession,
  { living, title }: { living: readonly Instance[]; title: string | undefined },
) {
  const { ledger } = stored;
  const open = findOpenPoints(ledger, removed);
  const live = living.find(({ sessions }) => sessions.some(({ id }) => id === sessionID));
  const isBusy = live?.sessions.some(({ id, state }) => id === sessionID && state === "busy");
  const doing = open.todos.find(({ status }) => status === "in_progress")?.content ?? open.next?.text;
  const first = ledger.requests[0];
  const findPhase = (): Phase => {
    if (isBusy) return "working";
    if (open.request) return "unanswered";
    if (open.answer && findQuestion(ledger) !== undefined) return "asking";
    return hasOpenPoints(open) ? "open" : "done";
  };
  return {
    id: sessionID,
    ...(title !== undefined && { title }),
    /** The user's first request, on one line. */
    ...(first && { goal: toLine(first.text, LONGEST_TEXT) }),
    ...(first && first.at > 0 && { started: new Date(first.at).toISOString() }),
    lastActive: new Date(modifiedMs).toISOString(),
    toolCalls: ledger.calls.ended,
    requests: ledger.requests.length + ledger.droppedRequests,
    openTodos: open.todos.length,
    phase: findPhase(),
    /** The todo in progress, else the announced step. */
    ...(doing !== undefined && { doing: toLine(doing, LONGEST_TEXT) }),
    /** The running instance that has the session open. */
    ...(live && { instance: live.id }),
    notes: path,
  };
}

function format(session: SessionFacts, nowMs: number): string {
  const { doing, goal, id, instance, lastActive, openTodos, phase, title, toolCalls } = session;
  const marks = [
    phase,
    formatAge(Date.parse(lastActive), nowMs),
    formatCounted(toolCalls, "tool call"),
    ...(openTodos > 0 ? [formatCounted(openTodos, "open todo")] : []),
    ...(instance === undefined ? [] : [`instance ${instance}`]),
  ];
  const now = doing === undefined ? "" : `\n    ${doing}`;
  return `${id}  ${title ?? goal ?? ""}  (${marks.join(", ")})${now}`;
}
