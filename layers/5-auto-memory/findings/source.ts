/**
 * The source that a tool call read outside the project: a page, search results, a document or a picture. Pure.
 *
 *     webfetch, websearch      by URL or query
 *     read                     PDFs, office documents and pictures, which only the model sees
 *     bash                     pdftotext
 *     tools of MCP servers     with a name for reading, by URL, path or query
 */
import { basename, isAbsolute } from "node:path";
import { cut, quote, shortenPath } from "../../../src/base/text.js";
import { TAKES_OVER } from "../../../src/memory/gate/gate.js";
import { isChangingTool, mayShowSecrets, readInput, readText } from "../../../src/messages/call.js";
import type { Result } from "../../../src/messages/history.js";
import { findSecrets, toSafeLine } from "../../../src/text/secrets/secrets.js";

export interface Source {
  /** URL without user and fragment, path as the notes spell it, or query. */
  name: string;
  /** One line. */
  title: string;
  /** The text read, cut to a maximum; absent if only the model sees it. */
  text?: string;
  isSearch?: true;
}

/** Shorter texts are messages such as "not found". */
const LEAST_TEXT = 120;
/** Characters searched for quotes. */
const MOST_TEXT = 150_000;
const LONGEST_NAME = 300;
const LONGEST_TITLE = 90;
const DOCUMENT = /\.(pdf|docx?|odt|pptx?|odp|xlsx?|ods|epub|png|jpe?g|gif|webp|bmp|tiff?)$/i;
const PRINTED = /\bpdftotext\s+(?:-\w+\s+(?:\d+\s+)?)*("[^"]+"|'[^']+'|[^\s;|&]+)/;
/** Names of an MCP server's tools that read, and of tools that write. */
const READING = /(fetch|read|get|scrape|crawl|browse|extract|search|navigate|snapshot|open|docs?|resource)/i;
const WRITING =
  /(^|[_-])(create|update|write|delete|remove|post|send|edit|commit|push|merge|click|fill)(?=[_\-A-Z]|$)/;
const OWN_TOOL = /^memory_/;
/** Tools whose answers are secrets. */
const SECRET_TOOL = /secret|password|credential|vault|keychain|1password|bitwarden/i;
/** Names of query parameters with credentials or signatures. */
const LETS_IN =
  /token|secret|passw|pwd|signature|credential|session|ticket|(^|[_.-])(api)?[_.-]?(key|sig|auth|sid|jwt|otp|code|state|nonce)$|^apikey$/i;

/** `undefined` if the call read no such source, failed, or may show secrets. */
export function readSource(
  { part, text }: Pick<Result, "part" | "text">,
  project: string,
): Source | undefined {
  if (part.state.status !== "completed" || mayShowSecrets(part)) return undefined;
  const input = readInput(part);
  if (part.tool === "webfetch") return readPage(readText(input, "url"), { part, text });
  if (part.tool === "websearch") return readSearch(readText(input, "query"), text);
  if (part.tool === "bash") return readPrinted(readText(input, "command"), text, project);
  if (part.tool === "read") {
    const path = readText(input, "filePath", "path");
    return path !== undefined && DOCUMENT.test(path) ? readDocument(path, project) : undefined;
  }
  const isServed =
    part.tool.includes("_") &&
    !isChangingTool(part.tool) &&
    !OWN_TOOL.test(part.tool) &&
    !SECRET_TOOL.test(part.tool);
  if (!isServed || !READING.test(part.tool) || WRITING.test(part.tool)) return undefined;
  return readServed({ part, text }, project);
}

function readServed({ part, text }: Pick<Result, "part" | "text">, project: string): Source | undefined {
  const input = readInput(part);
  const target = readText(input, "url", "uri", "path", "file", "filePath", "file_path");
  if (target === undefined) return readSearch(readText(input, "query", "q"), text);
  if (/^https?:/i.test(target)) return readPage(target, { part, text });
  if (findSecrets(target).length > 0 || /^[a-z][\w+.-]*:\/\/[^/]*@/i.test(target)) return undefined;
  const document = readDocument(target, project);
  // The project's own text can be read again at any time.
  if (document && !isAbsolute(document.name) && !DOCUMENT.test(document.name)) return undefined;
  return document && (text.length < LEAST_TEXT ? document : withText(document, text));
}

function readPage(
  url: string | undefined,
  { part, text }: Pick<Result, "part" | "text">,
): Source | undefined {
  const name = url === undefined ? undefined : cleanUrl(url);
  if (name === undefined) return undefined;
  const isPicture = text.length < LEAST_TEXT && (part.state.attachments?.length ?? 0) > 0;
  if (isPicture) return { name, title: name };
  return text.length < LEAST_TEXT ? undefined : withText({ name, title: name }, text);
}

function readSearch(query: string | undefined, text: string): Source | undefined {
  if (query === undefined || text.length < LEAST_TEXT || findSecrets(cut(query, LONGEST_NAME)).length > 0)
    return undefined;
  const title = `Search for ${quote(query, LONGEST_TITLE)}`;
  return { name: title, title, text: cut(text, MOST_TEXT), isSearch: true };
}

function readPrinted(command = "", text: string, project: string): Source | undefined {
  const path = PRINTED.exec(cut(command, 2_000))?.[1]?.replace(/^["']|["']$/g, "");
  const document =
    path === undefined || path === "-" || text.length < LEAST_TEXT ? undefined : readDocument(path, project);
  return document && { ...document, text: cut(text, MOST_TEXT) };
}

function readDocument(path: string, project: string): Source | undefined {
  const name = shortenPath(path, project);
  if (name.length > LONGEST_NAME || findSecrets(name).length > 0) return undefined;
  return { name, title: basename(name) };
}

function withText({ name, title }: Source, text: string): Source {
  const heading = findHeading(text);
  return { name, title: heading === undefined ? title : `${heading}, ${name}`, text: cut(text, MOST_TEXT) };
}

/** The page's own title; `undefined` if it has none, or one that addresses the model. */
function findHeading(text: string): string | undefined {
  const head = cut(text, 20_000);
  const [, title, heading] = /<title[^>]{0,200}>([^<]{1,300})<|^#{1,2} +(\S.*)$/im.exec(head) ?? [];
  const line = toSafeLine((title ?? heading ?? "").replace(/[*`#]+/g, ""), LONGEST_TITLE);
  return line === "" || TAKES_OVER.test(line) ? undefined : line;
}

/** Without user, fragment, and any query with a secret; `undefined` if it is no web address. */
function cleanUrl(url: string): string | undefined {
  if (url.length > 4_000 || !URL.canParse(url)) return undefined;
  const { origin, pathname, protocol, search, searchParams } = new URL(url);
  if (!/^https?:$/.test(protocol)) return undefined;
  const page = `${origin}${pathname === "/" ? "" : pathname}`;
  const letsIn = [...searchParams.keys()].some((name) => LETS_IN.test(name));
  const names = letsIn ? [page] : [`${page}${search}`, page];
  return names.find((name) => name.length <= LONGEST_NAME && findSecrets(name).length === 0);
}
