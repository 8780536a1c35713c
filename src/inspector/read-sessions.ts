/** Reads the sessions of a project, and one session in full. */

import { StrataError } from "../base/error.js";
import { readLedger, type SessionFigures, sumFigures } from "../costs/figures.js";
import { parseSavingsRecord, type SavingsRecord } from "../costs/savings.js";
import { sumFreed } from "../costs/sums.js";
import { readJsonLines } from "../io/json-lines.js";
import { readSafePage } from "../notes/checkpoints/read-session.js";
import { readSessions as readFacts } from "../operations/handover/sessions.js";
import { openOwnState } from "../operations/open-own.js";
import type { Project } from "../operations/project.js";
import { isFileName } from "../project/folders.js";
import { type ContextItems, readContextItems } from "../status/context-items.js";
import { readTitles } from "../status/known-sessions.js";
import { readSessionScreen } from "../status/session-screen.js";
import type { LayerAction, SessionPage, SessionRow } from "./answers.js";

const MOST_SESSIONS = 100;
const MOST_REQUESTS = 600;
const MOST_ACTIONS = 200;
const MOST_ITEMS = 30;

/** Last used first. */
export async function readSessions(project: Project): Promise<readonly SessionRow[]> {
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
export async function readSessionPage(project: Project, id: string): Promise<SessionPage> {
  if (!isFileName(id))
    throw new StrataError("NO_SESSION", `expected the id of a session, ${JSON.stringify(id)} came`);
  const { files } = openOwnState(project);
  const { folders } = project;
  const { clock } = project.cli;
  const [screen, items, notes, titles, { records }] = await Promise.all([
    readSessionScreen(files, folders, id),
    readContextItems(files, folders, id),
    readSafePage({ clock, files, folder: folders.sessionMemory }, id),
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
  const layerActions = all.slice(0, MOST_ACTIONS).map(toAction);
  return { freed: sumFreed(records), layerActions, moreLayerActions: all.length - layerActions.length };
}

/** The fields of a record that the page shows, without absent ones. */
function toAction(record: SavingsRecord): LayerAction {
  const { bytes, event, inputs, layer, reason, results, time, tool } = record;
  const { backgroundTokens, cacheLost, net, tokensFreed } = record;
  const amounts = { bytes, inputs, results, backgroundTokens, cacheLost, net, tokensFreed };
  const known = Object.entries({ reason, tool, ...amounts }).filter(([, value]) => value !== undefined);
  return { time, layer, event, ...(Object.fromEntries(known) as Partial<LayerAction>) };
}

function describeItems({ items, omitted }: ContextItems): NonNullable<SessionPage["items"]> {
  const shown = items.slice(0, MOST_ITEMS);
  return { shown, more: items.length - shown.length + omitted };
}
