/** Session exports (`opencode export`). */
import type { StoredSession } from "../../../layers/5-auto-memory/learn/past-sessions.js";
import { parseJson } from "../../base/records.js";
import { type ExportedSession, isExportedMessage, readExportedSession } from "../../host/1/past-sessions.js";
import { decodeText } from "../../io/files.js";
import { isToolPart, type Message, type Part } from "../../io/message.js";
import { createExportScanner, type ExportPart } from "./export-scanner.js";

/** How an export begins, whatever its spacing. */
const BEGINS = /^\s*\{\s*"(?:info"\s*:\s*\{|messages"\s*:\s*\[)/;

/** Is the file that begins with these bytes an export? */
export function isExport(first: Uint8Array): boolean {
  return BEGINS.test(decodeText(first.subarray(0, 4_096)).replace(/^\ufeff/, ""));
}

/** Sessions that people opened, one after the other. Subagents' are left out. */
export async function* readExports(
  chunks: AsyncIterable<Uint8Array>,
  onProblem: (line: number, what: string) => void,
): AsyncGenerator<StoredSession, void, void> {
  const scanner = createExportScanner();
  let session: ExportedSession | undefined;
  let messages: Message[] = [];
  const take = (part: ExportPart): StoredSession | undefined => {
    if (part.kind === "problem") onProblem(part.line, part.what);
    else if (part.kind === "end") {
      const ended = session;
      const read = messages;
      [session, messages] = [undefined, []];
      const id = ended?.id ?? read[0]?.info.sessionID;
      if (id === undefined || ended?.isPersons === false) return undefined;
      return { id, messages: ended?.selectMessages(read) ?? read };
    } else {
      const value = parseJson(decodeText(part.text));
      if (part.kind === "info") session = readExportedSession(value);
      else if (isExportedMessage(value)) messages.push(slim(value));
      else onProblem(part.line, "expected a message with info and parts, something else came");
    }
    return undefined;
  };
  for await (const chunk of chunks)
    for (const part of scanner.scan(chunk)) {
      const read = take(part);
      if (read) yield read;
    }
  for (const part of scanner.end()) {
    const read = take(part);
    if (read) yield read;
  }
}

/** Tools by which an agent saves memories itself: what extraction looks at in an answer. */
const MEMORY_TOOL = /^memory_/;

/** The message without what learning does not read: results of tools and files may be large. */
function slim({ info, parts }: Message): Message {
  const isRead = (part: Part): boolean =>
    info.role === "user"
      ? part.type === "text" && part.synthetic !== true
      : isToolPart(part) && MEMORY_TOOL.test(part.tool);
  const left = parts.map((part) => (isRead(part) ? part : pick(part)));
  return { info, parts: info.role === "user" ? left : left.filter(isRead) };
}

function pick(part: Part): Part {
  const { ignored, synthetic, type } = part;
  const id = (part as { id?: unknown }).id;
  return {
    type,
    ...(ignored && { ignored }),
    ...(synthetic && { synthetic }),
    ...(id !== undefined && { id }),
  };
}
