import type { Files } from "../../src/io/files.js";
import type { Message, ToolPart, ToolState } from "../../src/io/message.js";
import { createNotes, type Notes } from "../../src/notes/notes.js";
import { allSeen } from "./all-seen.js";
import { createFakeClock, type FakeClock, MORNING } from "./fake-clock.js";
import { PROJECT } from "./fake-host.js";
import { createFakeLog } from "./fake-log.js";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.js";

export const NOTES_FOLDER = `${PROJECT}/.opencode/session-memory`;
export const NOTES_FILE = `${NOTES_FOLDER}/ses_1.md`;
export const STORED_FILE = `${NOTES_FOLDER}/ses_1.json`;

export interface NotesWorld {
  notes: Notes;
  files: MemoryFiles;
  clock: FakeClock;
  logged: readonly string[];
  /** The notes page on disk. */
  page(): string;
  /** Changes the page as an editor would. */
  edit(change: (page: string) => string): void;
  /** Learns and writes. */
  tell(...messages: Message[]): Promise<void>;
  /** Another process on the same disk. */
  restart(): NotesWorld;
}

export interface NotesWorldOptions {
  files?: MemoryFiles;
  clock?: FakeClock;
  wrap?: (files: Files) => Files;
  /** The host's messages of a session. */
  readMessages?: (sessionID: string) => Promise<readonly Message[] | undefined>;
}

export function openNotes(given: NotesWorldOptions = {}): NotesWorld {
  const clock = given.clock ?? createFakeClock();
  const files = given.files ?? createMemoryFiles({}, clock.now);
  const log = createFakeLog();
  const notes = createNotes({
    files: given.wrap?.(files) ?? files,
    clock,
    log,
    folder: NOTES_FOLDER,
    seen: allSeen,
    ...(given.readMessages && { readMessages: given.readMessages }),
  });
  const page = (): string => files.text(NOTES_FILE) ?? "";
  return {
    notes,
    files,
    clock,
    logged: log.lines,
    page,
    edit: (change) => void files.contents.set(NOTES_FILE, Buffer.from(change(page()))),
    async tell(...messages) {
      await notes.learn("ses_1", messages);
      await notes.write("ses_1");
    },
    restart: () => openNotes({ ...given, clock, files }),
  };
}

/** A user message at this minute of a session. */
export function ask(minute: number, text: string, ...more: object[]): Message {
  const created = timeAt(minute);
  return {
    info: { id: `msg_u${minute}`, sessionID: "ses_1", role: "user", time: { created } },
    parts: [{ type: "text", text }, ...(more as { type: string }[])],
  };
}

/** An answer that has ended, with these calls before its text. */
export function reply(minute: number, text: string, ...calls: ToolPart[]): Message {
  const created = timeAt(minute);
  return {
    info: {
      id: `msg_a${minute}`,
      sessionID: "ses_1",
      role: "assistant",
      time: { created, completed: created + 30_000 },
    },
    parts: [...calls, { type: "text", text }],
  };
}

/** A successful call at this minute of a session. */
export function did(minute: number, tool: string, input: object, state: Partial<ToolState> = {}): ToolPart {
  const start = timeAt(minute) + 1;
  return {
    type: "tool",
    tool,
    callID: `call_${tool}_${minute}_${JSON.stringify(input)}`,
    state: {
      status: "completed",
      input: { ...input },
      output: "",
      metadata: {},
      time: { start, end: start + 5 },
      ...state,
    },
  };
}

/** An edit of a file. */
export function edited(minute: number, filePath: string, oldString: string, newString: string): ToolPart {
  return did(minute, "edit", { filePath, oldString, newString });
}

/** A command that ended with this exit code. */
export function ran(minute: number, command: string, exit: number | null, output = ""): ToolPart {
  return did(minute, "bash", { command }, { output, metadata: { exit } });
}

export function timeAt(minute: number): number {
  return MORNING + minute * 60_000;
}

/** The notes page of a session with these messages. */
export async function pageOf(...messages: Message[]): Promise<string> {
  const world = openNotes();
  await world.tell(...messages);
  return world.page();
}

/** The lines under a heading of the notes. */
export function section(page: string, heading: string): string {
  return page.split(`## ${heading}\n`)[1]?.split("\n## ")[0]?.trim() ?? "";
}
