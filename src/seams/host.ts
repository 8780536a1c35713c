import type { Message } from "../conversation/message.js";
import type { Git } from "./git.js";
import type { RunningProcesses } from "./processes.js";

/**
 * The few things the machine may ask of the coding agent's host. `src/host/` answers them for OpenCode.
 *
 * Contract: nothing here throws or rejects; what the host cannot answer is `undefined` or does nothing.
 */
export interface Host {
  /** Absolute path of the folder whose `.opencode` holds everything written. */
  readonly project: string;
  /** Absolute path of where the agent works, the project or a folder in it: its tools take paths as seen from there. */
  readonly directory: string;
  /** The files whose `memory` key counts, whether or not they are there; the weakest first, none twice. */
  readonly configFiles: readonly ConfigFile[];
  /** Absolute path of the folder in which the user keeps what holds in all projects. */
  readonly globalFolder: string;
  /** Absolute path of the folder for what this user's machine knows of all projects; no repository reaches it. */
  readonly stateFolder: string;
  readonly processes: RunningProcesses;
  readonly git: Git;
  /** When the session was last used, `undefined` when the host no longer has it, "unknown" when it did not say. */
  sessionLastUsedMs(sessionID: string): Promise<number | undefined | "unknown">;
  /** The folder in which the session was begun, `undefined` when the host does not have it, "unknown" when it did not say. */
  findSessionFolder(sessionID: string): Promise<string | undefined | "unknown">;
  /** The models that the user has configured; none until the host has said so, which is before its first session. */
  models(): Models;
  /**
   * Has a model write something in a hidden session of our own, below the one it is for, and removes that session.
   * Only `src/background/` calls it: everyone else goes through the budget there.
   */
  generate(request: GenerateRequest): Promise<Generated>;
  /** Is it a session that `generate` has opened? */
  isOwnSession(sessionID: string): boolean;
  /**
   * Has a task done in a session opened for it, which is removed afterwards: a fork of another one, or an empty child
   * of it. It is asked as that one was last: the same agent, model, tools and permissions.
   */
  runFork(request: ForkRequest): Promise<ForkResult>;
  /** Is it a fork that `runFork` opened? An empty child session is not. */
  isFork(sessionID: string): boolean;
  /** The session for which `runFork` has opened this one, or the one above it. */
  findAsker(sessionID: string): string | undefined;
  /** The session below which this one was opened; "unknown" when the host did not say. */
  findParent(sessionID: string): Promise<string | undefined | "unknown">;
  /** Sessions that `generate` or `runFork` has opened, in this process or another, and that are still there. */
  listOwnSessions(): Promise<OwnSession[] | undefined>;
  /** True when the session is gone. */
  removeSession(sessionID: string): Promise<boolean>;
  /**
   * Messages of a session as the host has them, those before its compactions too and without what the user has undone;
   * the last `limit` of them, otherwise all.
   */
  readMessages(sessionID: string, last?: number): Promise<readonly Message[] | undefined>;
  /** Absolute paths of the files that the host restored when part of this session was undone; `undefined` if it does not say. */
  listFilesPutBack(sessionID: string): Promise<readonly string[] | undefined>;
  /**
   * Removes the marks of summaries that have failed from a session: they hold nothing of the user's, and the host
   * takes each up again in every turn.
   */
  removeFailedCompactions(sessionID: string): Promise<void>;
  /** Ends what the session is doing. Never waited for. */
  abortSession(sessionID: string): void;
  /** Off keeps the host from compacting by itself; on puts back what the user had set. In force at once. */
  setAutoCompaction(on: boolean): void;
  /** Shows a short message where there is a screen. Never waited for. */
  toast(message: string, variant: ToastVariant): void;
  /** The host's own log: the way out when ours cannot be written. Never waited for. */
  log(level: "error" | "warn", message: string): void;
}

/** Whose a configuration file is: the user's own, or one that comes with the project. */
export type Origin = "user" | "project";

export interface ConfigFile {
  /** Absolute; of a configuration that is no file, the name of the variable that holds it. */
  path: string;
  origin: Origin;
  /** Its text, if it is not a file. */
  text?: string;
}

export type ToastVariant = "info" | "success" | "warning" | "error";

/** Names of the form "provider/model". */
export interface Models {
  main?: string;
  small?: string;
}

export interface GenerateRequest {
  /** The session that the text is for. */
  parentID: string;
  /** What it is for, in a few words. */
  title: string;
  prompt: string;
  /** "provider/model"; without it the host's own choice. */
  model?: string;
  /** The most that one answer may take, thinking included; the provider is told so. */
  maxAnswerTokens: number;
  /** Breaks it off. */
  signal: AbortSignal;
  /** From the moment the model is asked; opening and removing the session come on top, seconds at most. */
  deadlineMs: number;
  /** Where the model may use tools; without it it has none. */
  bounds?: ToolBounds;
  /** Called after each answer; returns why there must not be another, if so. Never rejects. */
  mayGoOn?(answerID: string, tokens: UsedTokens): Promise<string | undefined>;
}

/** What a background model may do with tools. The host's permissions say the same; this is a second check. */
export interface ToolBounds {
  /** Why this call is not allowed; `undefined` if it is. Asked before each call. */
  findEscape(tool: string, args: unknown): string | undefined | Promise<string | undefined>;
  /** What of a call's result it reads. It reads nothing of one for which this throws, rejects or is not done in time. */
  cleanResult(tool: string, args: unknown, text: string): string | Promise<string>;
  /** Broken off beyond; a token read from a cache counts a tenth. */
  maxTokens: number;
}

export type Generated =
  | { kind: "text"; text: string; tokens: UsedTokens }
  | {
      kind: "failed";
      /** For people. */
      reason: string;
      /** HTTP status of the provider's refusal, if the host reports one. */
      status?: number;
      /** Absent when it is not known what was spent. */
      tokens?: UsedTokens;
    };

/** As the provider reported them, over all requests that were made. */
export interface UsedTokens {
  /** Not read from the cache; includes tokens written to it. */
  input: number;
  /** Those spent on thinking among them. */
  output: number;
  /** Read from a cache. */
  cacheRead: number;
}

export interface ForkRequest {
  /** The session that asks. */
  parentID: string;
  /** Its answer that is under way: a fork ends before it. */
  messageID: string;
  /** Does the task begin with all that was said before, or with nothing? */
  history: "shared" | "none";
  /** What it is for, in a few words. */
  title: string;
  prompt: string;
  signal: AbortSignal;
  /** From the moment the model is asked. */
  deadlineMs: number;
  /** Broken off beyond; a token read from a cache counts a tenth. */
  maxTokens: number;
}

export type ForkResult =
  | { kind: "answered"; text: string; run: ForkRun }
  | { kind: "failed"; reason: string; run: ForkRun }
  /** Nothing was asked: the host does not open such a session. */
  | { kind: "refused"; reason: string };

/** What went on in it. */
export interface ForkRun {
  /** Of its first request; absent where the provider did not report. */
  first?: UsedTokens;
  used: UsedTokens;
  requests: number;
  /** The task and all that came after it. */
  messages: readonly Message[];
  /** The permission or answer that it asked for; no user is present, so it was refused. */
  refusals: readonly string[];
}

export interface OwnSession {
  id: string;
  updatedMs: number;
  /** Does the process that opened it still run? */
  openedBy: "running" | "ended";
}
