/** Adds up what the plugin has written in a project, for `strata status` and `/memory`. */

import { join } from "node:path";
import { formatLocalDay } from "../base/days.js";
import { parseJson } from "../base/shape.js";
import type { Config } from "../config/schema.js";
import { isSwitchedOn } from "../config/setting.js";
import type { SavingsRecord } from "../costs/savings.js";
import { NOTHING, readLedger, type SessionFigures, sumFigures, sumFreed, toSaving } from "../costs/sums.js";
import type { Clock } from "../io/clock.js";
import { type Files, readText } from "../io/files.js";
import type { Git } from "../io/host.js";
import { type CallRecord, findSilent, parseCallRecord } from "../kernel/calls.js";
import type { Candidates } from "../memory/candidates/candidates.js";
import { createBudget } from "../models/budget.js";
import type { Folders } from "../project/folders.js";
import { findOwnFlaws, formatOwnFlaw } from "../project/own-flaws.js";
import { readMemoryStatus } from "./memory-status.js";
import { readBreaker, readTitles } from "./session-screen.js";

/** `breaker`: why automatic summaries are off in it. */
export type SessionStatus = ReturnType<typeof describeSession> & { breaker?: string };

export type Status = Awaited<ReturnType<typeof readStatus>>;

/** Reads what the plugin has written in this project; all zeros if nothing. */
export async function readStatus(
  given: { candidates?: Pick<Candidates, "count">; clock: Clock; files: Files; git?: Git | undefined },
  folders: Folders,
  config: Config,
  switches: readonly string[],
) {
  const { candidates, clock, files, git } = given;
  const [ledger, titles, results, callRecords, spent, memory, flaws, waiting] = await Promise.all([
    readLedger(files, folders.savings),
    readTitles(files, folders.sessions),
    countResults(files, folders.toolResults),
    readCallRecords(files, folders.calls),
    readSpent({ files, clock }, folders.background, config),
    readMemoryStatus(files, folders.memory),
    findOwnFlaws({ files, folders, config, git }),
    candidates?.count(),
  ]);
  const figures = sumFigures(ledger.sessions, titles);
  const sessions: Record<string, SessionStatus> = {};
  for (const session of figures.sessions)
    sessions[session.sessionID] = {
      ...describeSession(session, ledger.sessions.get(session.sessionID) ?? []),
      ...pick("breaker", await readBreaker(files, folders, session.sessionID).catch(() => undefined)),
    };
  const today = formatLocalDay(clock.now());
  const last = callRecords.at(-1);
  const savedToday = figures.days.find(({ day }) => day === today)?.saved ?? toSaving(NOTHING);
  const layers: Record<string, boolean> = {};
  for (const name of switches) layers[name] = isSwitchedOn(config, name);
  return {
    folders,
    /** Net savings of all sessions. */
    savings: figures.totals,
    /** `today`: since local midnight. */
    saved: { today: savedToday, project: figures.saved },
    /** Oldest first, without days that have no records. */
    days: figures.days,
    /** By session. */
    sessions,
    /** Tool results on disk; equal results share a file. */
    results,
    ...memory,
    /** Number of sentences that may become memories; absent if they cannot be read. */
    ...pick("candidates", waiting),
    /** Today's remaining budget of background calls, if known; `why` none would be made now. */
    ...pick("background", spent),
    /** Groups of settings: on or off. */
    layers,
    /** Sentences about problems; empty if there are none. */
    problems: [...flaws.map(formatOwnFlaw), ...ledger.problems, ...(last ? findSilent(last) : [])],
  };
}

function describeSession(
  { lastUsed, saved, title, totals }: SessionFigures,
  records: readonly SavingsRecord[],
) {
  const last = records.findLast((record) => record.event === "answer" && record.sent !== undefined);
  const { answered = 0, keptOut = 0, sent } = last ?? {};
  const contextTokens = sent === undefined ? undefined : sent + answered;
  return {
    ...pick("title", title),
    ...totals,
    /** Tokens that left the context, by the layer that removed them. */
    freedByLayer: Object.fromEntries(sumFreed(records).map(({ layer, tokens }) => [layer, tokens])),
    saved,
    /** Time of the last record, ISO 8601. */
    ...pick("lastUsed", lastUsed || undefined),
    /** Tokens of its last request and answer, as counted by the provider. */
    ...pick("contextTokens", contextTokens),
    /** The same without Strata; an estimate. */
    ...pick("contextWithout", contextTokens && contextTokens + keptOut),
  };
}

async function countResults(files: Files, folder: string) {
  const names = (await files.list(folder)).filter((name) => name.endsWith(".txt"));
  const stats = await Promise.all(names.map((name) => files.stat(join(folder, name))));
  return { files: names.length, bytes: stats.reduce((total, stat) => total + (stat?.bytes ?? 0), 0) };
}

/** Those of all instances that can be read, that of the last start at the end. */
export async function readCallRecords(files: Files, folder: string): Promise<CallRecord[]> {
  const names = await files.list(folder);
  const texts = names.map((name) => readText(files, join(folder, name)).catch(() => undefined));
  const records = (await Promise.all(texts)).map((text = "") => parseCallRecord(parseJson(text)));
  return records.filter((record) => record !== undefined).sort((a, b) => a.startedMs - b.startedMs);
}

async function readSpent(
  { files, clock }: { files: Files; clock: Clock },
  folder: string,
  { background }: Config,
) {
  const log = { error() {}, warn() {}, info() {}, debug() {} };
  const tally = await createBudget({ config: background, clock, files, log, folder, instance: "" }).today();
  if (!tally) return undefined;
  return {
    callsLeft: Math.max(0, background.dailyCalls - tally.calls),
    tokensLeft: Math.max(0, background.dailyTokens - tally.tokens),
    ...(background.enabled === false && { why: "background.enabled is false" }),
  };
}

/** An object with this field, or an empty one if the value is `undefined`. */
const pick = <K extends string, V>(key: K, value: V | undefined): { [Key in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [Key in K]: V });
