/**
 * Adds a plugin to the text of a configuration file of OpenCode's, or removes it, and keeps every other character: comments, order,
 * indentation, line ends, trailing commas. Pure. jsonc-parser's own `modify` moves comments and reformats lists.
 */
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { formatSyntaxError, orTooDeep, type PluginList } from "../../config/plugin-entries.js";

export type Edited =
  | { kind: "edited"; text: string }
  | { kind: "unchanged" }
  | { kind: "refused"; why: string };

/** What is added: `schema` is for an empty file. */
export interface Addition {
  spec: string;
  list: PluginList;
  schema: string;
}

export const formatNewFile = ({ list, schema, spec }: Addition): string =>
  `{\n  "$schema": ${JSON.stringify(schema)},\n  "${list}": [${JSON.stringify(spec)}]\n}\n`;

/** Adds the spec at the end of the list, and adds the list if there is none. */
export function planAdd(text: string, addition: Addition): Edited {
  const { list: name, spec } = addition;
  if (text.trim() === "") return { kind: "edited", text: formatNewFile(addition) };
  const root = readRoot(text);
  if (typeof root === "string") return { kind: "refused", why: root };
  const list = findNodeAtLocation(root, [name]);
  if (list && list.type !== "array") return refuse(text, list, `${name} must be a list`);
  if (list?.children?.some((entry) => readSpec(entry) === spec)) return { kind: "unchanged" };
  const edited = list
    ? insert(text, list, JSON.stringify(spec))
    : insert(text, root, `"${name}": [${JSON.stringify(spec)}]`);
  return { kind: "edited", text: edited };
}

/** Removes every entry whose spec `isMeant` from both lists, and a list that is empty then. */
export function planRemove(text: string, isMeant: (spec: string) => boolean): Edited {
  if (text.trim() === "") return { kind: "unchanged" };
  let edited = text;
  for (;;) {
    const root = readRoot(edited);
    if (typeof root === "string") return { kind: "refused", why: root };
    const found = findMeant(root, isMeant);
    if (!found) break;
    edited = removeEmptyList(remove(edited, found.list, found.entry), found.name);
  }
  return edited === text ? { kind: "unchanged" } : { kind: "edited", text: edited };
}

function findMeant(root: Node, isMeant: (spec: string) => boolean) {
  for (const name of ["plugin", "plugins"]) {
    const list = findNodeAtLocation(root, [name]);
    const entry = list?.children?.find((one) => isMeant(readSpec(one) ?? ""));
    if (list?.type === "array" && entry) return { name, list, entry };
  }
  return undefined;
}

/** One with a comment stays. */
function removeEmptyList(text: string, name: string): string {
  const root = readRoot(text);
  const member = typeof root === "string" ? undefined : findNodeAtLocation(root, [name])?.parent;
  if (typeof root === "string" || !member) return text;
  const isEmpty = /^"\w+"\s*:\s*\[\s*\]$/.test(text.slice(member.offset, member.offset + member.length));
  return isEmpty ? remove(text, root, member) : text;
}

/** The top-level object, or a sentence on why there is none. */
function readRoot(text: string): Node | string {
  const errors: ParseError[] = [];
  const root = orTooDeep(() => parseTree(text, errors, { allowTrailingComma: true }));
  if (root instanceof Error) return root.message;
  const [error] = errors;
  if (error) return formatSyntaxError(text, error.offset, printParseErrorCode(error.error));
  return root?.type === "object" ? root : "the top level must be an object";
}

/** An entry is a name, or a list of a name and its options, or an object with both. */
function readSpec(entry: Node): string | undefined {
  const inObject = entry.type === "object" ? findNodeAtLocation(entry, ["package"]) : entry;
  const name = entry.type === "array" ? entry.children?.[0] : inObject;
  return typeof name?.value === "string" ? name.value : undefined;
}

/** Adds a member after the last one of a list or object, on its own line if the last one is. */
function insert(text: string, holder: Node, member: string): string {
  const last = holder.children?.at(-1);
  const open = holder.offset + 1;
  if (!last) {
    // An empty list may hold comments; they stay in front.
    const close = holder.offset + holder.length - 1;
    const inside = text.slice(open, close);
    if (!inside.includes("\n")) return splice(text, open, open, member);
    const { eol, unit } = readStyle(text);
    const end = open + inside.trimEnd().length;
    return splice(text, end, end, `${eol}${indentAt(text, close)}${unit}${member}`);
  }
  const end = last.offset + last.length;
  const comma = findComma(text, end);
  const behind = comma === undefined ? end : comma + 1;
  const isOnOwnLine = text.slice(open, last.offset).includes("\n");
  const gap = isOnOwnLine ? `${readStyle(text).eol}${indentAt(text, last.offset)}` : " ";
  // A comment at the end of the last member's line belongs to it.
  const at = isOnOwnLine ? behind + findTrailingComment(text.slice(behind)) : behind;
  // If the last member had a trailing comma, the new one gets one too.
  const added = splice(text, at, at, `${gap}${member}${comma === undefined ? "" : ","}`);
  return comma === undefined ? splice(added, end, end, ",") : added;
}

/** Length of a comment that ends the line, with the space before it; 0 if there is none or more than one. */
const findTrailingComment = (text: string): number =>
  /^[ \t]*(\/\/[^\r\n]*|\/\*((?!\*\/)[^\r\n])*\*\/)(?=[ \t]*\r?\n)/.exec(text)?.[0].length ?? 0;

/** Removes a member with the comma that separates it from its neighbour, and its line if nothing else is on it. */
function remove(text: string, list: Node, member: Node): string {
  const end = member.offset + member.length;
  const after = findComma(text, end);
  const index = list.children?.indexOf(member) ?? 0;
  const previous = list.children?.[index - 1];
  const before =
    after === undefined && previous ? findComma(text, previous.offset + previous.length) : undefined;
  // On one line, the space behind the comma goes too.
  if (before !== undefined && /^[ \t]*$/.test(text.slice(before + 1, member.offset)))
    return splice(text, before, end, "");
  // From back to front, so that earlier offsets stay valid.
  const isCommented = after !== undefined && text.slice(end, after).trim() !== "";
  const withoutComma = isCommented ? splice(text, after, after + 1, "") : text;
  const isOne = after !== undefined && !isCommented;
  const withoutMember = cutWithLine(withoutComma, member.offset, isOne ? after + 1 : end);
  return before === undefined ? withoutMember : splice(withoutMember, before, before + 1, "");
}

function cutWithLine(text: string, from: number, to: number): string {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const lineEnd = text.indexOf("\n", to);
  const isAlone =
    start > 0 &&
    lineEnd !== -1 &&
    text.slice(start, from).trim() === "" &&
    text.slice(to, lineEnd).trim() === "";
  if (isAlone) return splice(text, start, lineEnd + 1, "");
  const spaces = /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0;
  return splice(text, from, to + (text[from - 1] === "[" || text[from - 1] === " " ? spaces : 0), "");
}

/** Offset of a comma after `from` with only space and comments between; `undefined` if there is none. */
function findComma(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

/** The text's line ends and one step of its indentation. */
function readStyle(text: string): { eol: string; unit: string } {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { eol, unit: /^([ \t]+)\S/m.exec(text)?.[1] ?? "  " };
}

function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}

function refuse(text: string, { offset }: Node, what: string): Edited {
  return { kind: "refused", why: `line ${countLines(text, offset)}: ${what}` };
}

const countLines = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

const splice = (text: string, from: number, to: number, replacement: string): string =>
  text.slice(0, from) + replacement + text.slice(to);
