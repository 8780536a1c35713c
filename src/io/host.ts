import { isRecord } from "../base/shape.js";
import type { Message } from "./message.js";
import type { RunningProcesses } from "./running-processes.js";

/**
 * The host seam: what the plugin may ask of the coding agent's host. `src/host/` implements it for OpenCode.
 *
 * Contract: no method throws or rejects; if the host cannot answer, the result is `undefined` or nothing happens.
 */
export interface Host {
  /** Absolute path of the folder whose `.opencode` holds all files of the plugin. */
  readonly project: string;
  /**
   * Absolute path of the agent's working directory, the project or a folder in it: tools resolve relative paths there.
   */
  readonly directory: string;
  /** Configuration files whose `memory` key counts, existing or not; lowest precedence first, no duplicates. */
  readonly configFiles: readonly ConfigFile[];
  /** Absolute path of the user's folder for all projects. */
  readonly globalFolder: string;
  /** Absolute path of the folder for this user's machine state of all projects; no repository can write to it. */
  readonly stateFolder: string;
  readonly processes: RunningProcesses;
  readonly git: Git;
  /** Git with network access, loaded on first use. If absent, nothing is pulled. */
  openRemoteGit?(): Promise<RemoteGit>;
  /** When the session was last used; `undefined` if the host no longer has it, "unknown" if the host did not answer. */
  sessionLastUsedMs(sessionID: string): Promise<number | undefined | "unknown">;
  /** The user's configured models; empty until the host reports them, which is before its first session. */
  models(): Models;
  /** The session's title; `undefined` if it has none of its own, or the host did not answer. Absent: it has no titles. */
  findTitle?(sessionID: string): Promise<string | undefined>;
  /**
   * Generates text with a model that has no tools. Only `src/models/` calls it: all other code goes through the
   * budget there.
   */
  generate(request: GenerateRequest): Promise<Generated>;
  /** True if `generate` opened this session. */
  isOwnSession(sessionID: string): boolean;
  /**
   * Runs a task in a new session, removed afterwards: a fork of the asking session, or its empty child. Agent, model,
   * tools and permissions are those of the asking session's last request.
   */
  runFork(request: ForkRequest): Promise<ForkResult>;
  /** True if `runFork` opened this session as a fork. False for an empty child session. */
  isFork(sessionID: string): boolean;
  /** The session for which `runFork` opened this one or its parent. */
  findAsker(sessionID: string): string | undefined;
  /** The session's parent; "unknown" if the host did not answer. */
  findParent(sessionID: string): Promise<string | undefined | "unknown">;
  /** Existing sessions that `generate` or `runFork` opened, in this process or another. */
  listOwnSessions(): Promise<OwnSession[] | undefined>;
  /** Sessions that people opened in the project; `undefined` if the host does not answer. Absent: it lists none. */
  listSessions?(): Promise<ListedSessions | undefined>;
  /** Removes the session. True if it is gone. */
  removeSession(sessionID: string): Promise<boolean>;
  /**
   * Messages of a session as the host has them, including those before compactions, without those the user undid: the
   * last `last` ones, or all. Begins with a summary if the host does not show what was before it.
   */
  readMessages(sessionID: string, last?: number): Promise<readonly Message[] | undefined>;
  /** Absolute paths of files that the host restored when part of this session was undone; `undefined` if unknown. */
  listFilesPutBack(sessionID: string): Promise<readonly string[] | undefined>;
  /**
   * Removes the compaction markers of failed summaries: they hold nothing of the user's, and the host retries each in
   * every turn.
   */
  removeFailedCompactions(sessionID: string): Promise<void>;
  /** Aborts the session's current work. Never waited for. */
  abortSession(sessionID: string): void;
  /** Off disables the host's automatic compaction; on restores the user's setting. Takes effect at once. */
  setAutoCompaction(on: boolean): void;
  /** Absent: `setAutoCompaction` works. False: the host lets no plugin switch its compaction off. */
  readonly canStopCompaction?: false;
  /** Whether the user's setting lets the host summarise by itself when the window is full. */
  summarizes(): boolean;
  /** It asks for a summary in the session itself, from its prompt cache. Absent: by a request of its own. */
  readonly summarizesInSession?: true;
  /** What the model was last offered besides messages; `undefined` if the host does not say. Absent: it never does. */
  listTools?(model: { providerID: string; modelID: string }): Promise<OfferedTools | undefined>;
  /** Shows a short message if there is a screen. Never waited for. */
  toast(message: string, variant: ToastVariant): void;
  /** Writes to the host's log: the fallback if ours cannot be written. Never waited for. */
  log(level: "error" | "warn", message: string): void;
}

/** The owner of a configuration file: the user, or the project. */
export type Origin = "user" | "project";

export interface ConfigFile {
  /** Absolute path; if the configuration is not a file, the name of the variable that holds it. */
  path: string;
  origin: Origin;
  /** The text of a configuration that is not a file. */
  text?: string;
}

export interface OfferedTools {
  /** Which OpenCode, as its configuration has a form of its own. */
  host: 1 | 2;
  /** OpenCode 1 does not tell plugins about the tools of MCP servers. */
  tools: readonly OfferedTool[];
  /** MCP servers that are switched on, by their name in the configuration. */
  servers: readonly string[];
}

export interface OfferedTool {
  /** As the configuration has it. */
  name: string;
  /** As its calls have it. */
  called: string;
  /** Of its definition in each request. */
  tokens: number;
  /** Tokens that a short definition saves, or would save. */
  shorter?: { tokens: number; isSent: boolean };
  isLeftOut?: boolean;
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
  /** Its purpose, in a few words. */
  title: string;
  prompt: string;
  /** "provider/model"; default: the host's choice. */
  model?: string;
  /** Maximum tokens of one answer, thinking included; passed to the provider. */
  maxAnswerTokens: number;
  signal: AbortSignal;
  /** Counts from the request to the model; opening and removing the session add seconds at most. */
  deadlineMs: number;
}

export type Generated =
  | { kind: "text"; text: string; tokens: UsedTokens }
  | {
      kind: "failed";
      /** For people. */
      reason: string;
      /** HTTP status of the provider's refusal, if the host reports one. */
      status?: number;
      /** Absent if usage is unknown. */
      tokens?: UsedTokens;
    };

/** Total over all requests, as the provider reported them. */
export interface UsedTokens {
  /** Not read from the cache; includes tokens written to it. */
  input: number;
  /** Includes thinking tokens. */
  output: number;
  cacheRead: number;
}

export interface ForkRequest {
  /** The asking session. */
  parentID: string;
  /** Its unfinished answer: a fork ends before it. */
  messageID: string;
  /** Whether the task starts with the whole history or with none. */
  history: "shared" | "none";
  /** What it is for, in a few words. */
  title: string;
  prompt: string;
  signal: AbortSignal;
  /** Counts from the request to the model. */
  deadlineMs: number;
  /** Broken off beyond; a token read from a cache counts a tenth. */
  maxTokens: number;
}

export type ForkResult =
  | { kind: "answered"; text: string; run: ForkRun }
  | { kind: "failed"; reason: string; run: ForkRun }
  /** No request was made: the host does not open such a session. */
  | { kind: "refused"; reason: string };

export interface ForkRun {
  /** Usage of the first request; absent if the provider did not report it. */
  first?: UsedTokens;
  used: UsedTokens;
  requests: number;
  /** The task and all later messages. */
  messages: readonly Message[];
  /** Permissions or answers it asked for; refused, because no user is present. */
  refusals: readonly string[];
}

/** Sessions that people opened in the project. */
export interface ListedSessions {
  /** Oldest first. */
  ids: readonly string[];
  /** Does a slash command write this text? */
  isTemplate(text: string): boolean;
}

export interface OwnSession {
  id: string;
  updatedMs: number;
  /** State of the process that opened it. */
  openedBy: "running" | "ended";
}

/** Read-only git. It changes nothing, and runs no hook and no program that a repository configures. */
export interface Git {
  /** Output of the command in a folder of the work tree; `undefined` if git is missing, fails, or takes too long. Never rejects. */
  ask(args: readonly string[], options: { folder: string }): Promise<string | undefined>;
}

/**
 * Git with network access, for a repository of our own: it never prompts, runs no hooks, and ignores the project's
 * configuration. It reads the user's configuration, for credentials and proxies.
 */
export interface RemoteGit {
  /** Runs a command. Never rejects. */
  run(args: readonly string[], options: RemoteGitOptions): Promise<RemoteGitAnswer>;
}

export interface RemoteGitOptions {
  /** Working directory: a bare repository, or any folder for commands that need none. */
  folder: string;
  input?: string;
  /** After this time, git and all processes that it started are killed. */
  timeoutMs: number;
}

export type RemoteGitAnswer =
  | { kind: "done"; output: Uint8Array }
  /** `why` is git's message, without credentials. */
  | { kind: "failed"; why: string };

export function findEventSession({ sessionID, info, part }: HostEvent["properties"]): string | undefined {
  const holder = isRecord(info) ? info : isRecord(part) ? part : {};
  const found = [sessionID, holder.sessionID, holder.id].find((id) => typeof id === "string");
  return found as string | undefined;
}

export interface HostEvent {
  type: string;
  properties: Readonly<Record<string, unknown>>;
}

/** A model's context window, in tokens. */
export interface ModelWindow {
  contextTokens: number;
  /** Maximum tokens of the answer. */
  outputTokens: number;
  /** Limit on the prompt alone, if the model has one. */
  inputTokens?: number;
  /** Tokens of prompt and answer at which the host compacts by itself, if it is not OpenCode 1. */
  usableTokens?: number;
  /** The provider refused a request of about this size as too long: the window is smaller than stated. */
  refusedTokens?: number;
}

/** Dollars per million tokens. */
export interface PriceTier {
  input: number;
  output: number;
  cacheRead: number;
  /** 0 or the price of input where writing to the cache costs nothing extra. */
  cacheWrite: number;
}

export interface ModelPrices extends PriceTier {
  /** Prices of requests with longer prompts, for the whole request; the lowest size first. */
  longer: readonly LongPrices[];
}

export interface LongPrices extends PriceTier {
  /** The prices apply to prompts of more tokens than this. */
  aboveTokens: number;
}
