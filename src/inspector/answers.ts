/**
 * The answers of the inspector's API. Times are ISO date-times; sizes are in tokens unless noted. A failed request gets
 * a `Failure`.
 */
import type { AgendaItem } from "../../layers/7-across-agents/agenda/plan-agenda.js";
import type { RequestFigures } from "../costs/figures.js";
import type { SavingsRecord } from "../costs/savings.js";
import type { Saving, SavingsTotals } from "../costs/sums.js";
import type { Memory } from "../memory/memory.js";
import type { SessionFacts } from "../operations/handover/sessions.js";
import type { ContextItem } from "../status/context-items.js";
import type { SessionScreen } from "../status/session-screen.js";

export interface Failure {
  error: string;
}

export interface ProjectName {
  /** Used in the API's URLs. */
  id: string;
  /** Name of its folder, with parent folders if another project's folder has the same name. */
  name: string;
  /** Its folder. */
  root: string;
}

export interface Projects {
  version: string;
  /** The server's time in milliseconds since 1970, since its clock may differ from the browser's. */
  nowMs: number;
  projects: readonly ProjectName[];
}

/** Counts shown beside every view. */
export interface Counts {
  /** Number of candidates and conflicts. */
  waiting: number;
}

export interface Overview {
  saved: { today: Saving; project: Saving };
  totals: SavingsTotals;
  requests: number;
  /** Oldest first, at most 30. */
  days: readonly Day[];
  /** By type; types without memories are absent. */
  memories: Readonly<Record<string, number>>;
  /** Number of candidates; absent if they cannot be read. */
  candidates?: number;
  conflicts: number;
  blockers: readonly { id: string; title: string }[];
  results: { files: number; bytes: number };
  /** What is left of today's budget for background calls. */
  background?: { callsLeft: number; tokensLeft: number; why?: string };
  layers: readonly { name: string; isOn: boolean }[];
  problems: readonly string[];
}

export interface Day {
  day: string;
  saved: Saving;
  tokensFreed: number;
  cacheLost: number;
}

/** A session in the list. */
export interface SessionRow {
  id: string;
  title?: string;
  /** The user's first request, or what the agent is doing. */
  about?: string;
  lastActive: string;
  phase?: SessionFacts["phase"];
  openTodos: number;
  requests: number;
  saved?: Saving;
  context?: SessionScreen["context"];
}

export interface SessionPage {
  id: string;
  title?: string;
  lastActive?: string;
  /** Absent if the session has sent no request since this record exists. */
  screen?: SessionScreen;
  saved: Saving;
  totals: SavingsTotals;
  /** Oldest first, at most the newest 600. */
  requests: readonly RequestFigures[];
  /** Numbers, from 1, of the requests before which history was replaced. */
  replacements: readonly number[];
  /** Tokens removed from the context, by layer; largest first. */
  freed: readonly { layer: string; tokens: number }[];
  /** What each layer did, newest first, at most 200. */
  layerActions: readonly SavingsRecord[];
  /** Number of entries left out. */
  moreLayerActions: number;
  items?: { shown: readonly ContextItem[]; more: number };
  /** Without secrets; absent if there are none. */
  notes?: string;
}

/** A memory in the list. */
export type MemoryRow = Pick<
  Memory,
  "id" | "type" | "title" | "status" | "pinned" | "scope" | "sensitivity" | "tags" | "updated"
> & {
  isForeign: boolean;
  isPersonal: boolean;
  /** The start of its text, on one line. */
  text: string;
  /** Why a search found it. */
  why?: string;
};

export interface MemoryList {
  memories: readonly MemoryRow[];
  /** Lines of earlier sessions that a search found. */
  past: readonly { session: string; text: string; at?: string }[];
  /** Unusable files, with the reason. */
  problems: readonly { path: string; what: string }[];
  /** Number of memories left out. */
  more: number;
}

export interface MemoryPage {
  memory: Memory;
  /** Who judged that it is to be kept, and why. */
  judge?: string;
  /** An edit has to name it, to prove that it is based on this version. */
  revision: string;
  /** Relative to the project; absent if the file is elsewhere. */
  path?: string;
  uses: number;
  /** Newest first, at most 50. */
  changes: readonly Change[];
}

/** One change of one memory. */
export interface Change {
  id: string;
  memory: string;
  at: string;
  by: "strata" | "person";
  operation: string;
  /** Identifies this change, and all made in the same step, for undo. */
  run: string;
  reason?: string;
  session?: string;
  /** The file's text before and after; absent if there was no file or the ledger does not have the text. */
  before?: string;
  after?: string;
  movedTo?: string;
}

/** Changes made in one step: a dream, or a single change. */
export interface Step {
  run: string;
  at: string;
  operation: string;
  by: "strata" | "person";
  reason?: string;
  isUndone: boolean;
  /** `true` for a change by Strata that is not undone yet. */
  canUndo: boolean;
  /** At most 50. */
  changes: readonly Change[];
  moreChanges: number;
}

export interface Steps {
  /** Newest first, at most 60. */
  steps: readonly Step[];
  more: number;
}

export interface Waiting {
  /** Absent if they cannot be shown; `candidatesWhy` has the reason. */
  candidates?: readonly WaitingSentence[];
  candidatesWhy?: string;
  conflicts: readonly ConflictPair[];
}

export interface WaitingSentence {
  id: string;
  type: string;
  /** 0 to 1. */
  worth: number;
  text: string;
  /** The sentences beside it in the message. */
  before?: string;
  after?: string;
  /** Number of sessions in which the user said it. */
  sessions: number;
  said: readonly { session: string; at: string }[];
}

export interface ConflictPair {
  name: string;
  title: string;
  found: string;
  this: Version;
  that: Version;
}

export interface Version {
  /** Absent if only the conflict record has this version. */
  id?: string;
  /** The session that wrote it, if known. */
  by?: string;
  text: string;
}

export interface AgendaPage {
  headings: Readonly<Record<AgendaItem["kind"], string>>;
  /** The `instance` of a person's claims. */
  person: string;
  items: readonly AgendaItem[];
  /** Number of items older than 30 days. */
  older: number;
}

export interface LogPage {
  path: string;
  /** Newest first, at most 500. */
  entries: readonly LogEntry[];
}

export interface LogEntry {
  time: string;
  level: string;
  source: string;
  message: string;
}

/** The answer to a change. */
export interface Done {
  /** A sentence for the user. */
  what: string;
  /** The run that an undo takes. */
  run?: string;
  /** Id of the changed memory. */
  memory?: string;
}

/** The current answer of a view, or why there is none. */
export interface ViewAnswer {
  /** As requested. */
  address: string;
  value?: unknown;
  error?: string;
}
