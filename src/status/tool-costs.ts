/**
 * What the definition of each tool costs in every request, how often it was called, and what to switch off. The plugin
 * writes both behind the turn into `.opencode/strata/state/tools`: what was last offered, and a line for each turn that
 * called tools, kept for 30 days.
 */
import { join } from "node:path";
import { DAY_MS } from "../base/days.js";
import { formatCount, formatCounted } from "../base/format.js";
import {
  anyObject,
  isVersion,
  list,
  number,
  object,
  optional,
  parserOf,
  string,
  unchecked,
} from "../base/shape.js";
import { toLine } from "../base/text.js";
import type { Files } from "../io/files.js";
import type { OfferedTool, OfferedTools } from "../io/host.js";
import { createDayLog } from "../io/json-lines.js";
import { readState } from "../io/state-file.js";
import type { Folders } from "../project/folders.js";

/** The calls of a session's turn. */
export interface CallLine {
  v: 1;
  session: string;
  calls: Readonly<Record<string, number>>;
}

/** What was offered, and which tools are the plugin's own. */
export type Offered = OfferedTools & { own: readonly string[] };

export const offeredPath = ({ tools }: Pick<Folders, "tools">): string => join(tools, "offered.json");

export const openCallLog = (files: Files, { tools }: Pick<Folders, "tools">) =>
  createDayLog({
    files,
    folder: tools,
    parse: parserOf(object<CallLine>({ v: isVersion, session: string, calls: anyObject })),
  });

const parseOffered = parserOf(
  object<Offered & { v: 1 }>({
    ...{ v: isVersion, host: unchecked, servers: list(string), own: list(string) },
    tools: list(
      object<OfferedTool>({
        ...{ name: string, called: string, tokens: number },
        ...{ isLeftOut: unchecked, shorter: optional(anyObject) },
      }),
    ),
  }),
);

const DAYS = 30;

/** `undefined` if nothing is known yet. Rejects with the system's error. */
export async function readToolCosts(
  files: Files,
  folders: Pick<Folders, "tools">,
  nowMs: number,
): Promise<ToolCosts | undefined> {
  const offered = await readState(files, offeredPath(folders), parseOffered);
  if (!offered) return undefined;
  const log = openCallLog(files, folders);
  const lines: CallLine[] = [];
  for (const day of await log.days())
    if (day > nowMs - DAYS * DAY_MS) lines.push(...(await log.read(day)).records);
  return planToolCosts(offered, lines);
}

export interface ToolCosts {
  /** Of all definitions that are sent and known. */
  tokens: number;
  /** Dearest first. */
  rows: ToolRow[];
  /** Sessions that called a tool in the last 30 days. */
  sessions: number;
  /** Sentences, with lines for opencode.json. */
  advice: string[];
}

/** A tool, or an MCP server with all its tools. */
export interface ToolRow {
  name: string;
  /** Of an MCP server: the number of its tools, 0 if they are not known. */
  tools?: number;
  /** `undefined` if not known. */
  tokens: number | undefined;
  calls: number;
  isLeftOut: boolean;
  /** Was it called in none of the last sessions, and can an agent work without it? */
  isIdle: boolean;
}

/** Without these an agent cannot work. */
const NEEDED = new Set(["read", "edit", "write", "bash", "shell", "grep", "glob", "apply_patch", "patch"]);
/** "Not called" is said of the last ones, and with fewer than the least it says little. */
const [LEAST_SESSIONS, LAST_SESSIONS] = [5, 20];

/** Pure. The lines are in order of time. */
export function planToolCosts({ host, own, servers, tools }: Offered, lines: readonly CallLine[]): ToolCosts {
  const sessions = [...new Set(lines.map(({ session }) => session).reverse())];
  const lately = new Set(sessions.slice(0, LAST_SESSIONS));
  const describe = (isCalled: (called: string) => boolean, among: readonly OfferedTool[]) => {
    const made = lines.flatMap(({ calls, session }) =>
      Object.entries(calls).flatMap(([name, count]) => (isCalled(name) ? [{ session, count }] : [])),
    );
    const isLeftOut = among.length > 0 && among.every((tool) => tool.isLeftOut === true);
    const isQuiet = !isLeftOut && made.every(({ session }) => !lately.has(session));
    return {
      tokens: among.length > 0 ? sumTokens(among) : undefined,
      calls: made.reduce((sum, { count }) => sum + Number(count), 0),
      isLeftOut,
      isIdle: isQuiet && sessions.length >= LEAST_SESSIONS,
    };
  };
  const serverOf = (tool: string): string | undefined =>
    own.includes(tool) ? undefined : servers.find((server) => tool.startsWith(beginNames(server)));
  const serverRows = servers.map((name): ToolRow => {
    const theirs = tools.filter((tool) => serverOf(tool.name) === name);
    return { name, tools: theirs.length, ...describe((called) => serverOf(called) === name, theirs) };
  });
  const single = tools.filter(({ name }) => serverOf(name) === undefined);
  const toolRows = single.map((tool): ToolRow => {
    const row = describe((called) => called === tool.called, [tool]);
    const isNeeded = NEEDED.has(tool.name) || own.includes(tool.name);
    return { name: tool.name, ...row, isIdle: row.isIdle && !isNeeded };
  });
  const rows = [...toolRows, ...serverRows].sort((a, b) => costOf(b) - costOf(a));
  const idle = rows.filter(({ isIdle }) => isIdle);
  return {
    ...{ tokens: sumTokens(rows.filter(({ isLeftOut }) => !isLeftOut)), rows, sessions: sessions.length },
    advice: [...adviseShort(tools), ...adviseOff(host, idle, lately.size)],
  };
}

/** OpenCode's names of a server's tools begin so. */
const beginNames = (server: string): string => `${server.replace(/[^\w-]/g, "_")}_`;

/** What is not known may be the dearest. */
const costOf = ({ tokens = Number.MAX_SAFE_INTEGER }: ToolRow): number => tokens;

const sumTokens = (all: readonly { tokens: number | undefined }[]): number =>
  all.reduce((sum, { tokens = 0 }) => sum + tokens, 0);

function adviseShort(tools: readonly OfferedTool[]): string[] {
  const sum = (isSent: boolean): number =>
    sumTokens(tools.flatMap(({ shorter }) => (shorter?.isSent === isSent ? [shorter] : [])));
  if (sum(true) > 0) return [`tools.short saves ${formatCount(sum(true))} tokens in each request.`];
  const advice = `To save ${formatCount(sum(false))} tokens in each request, in the plugin's options: "tools": { "short": true }`;
  return sum(false) === 0 ? [] : [advice];
}

/**
 * OpenCode 1: `tools` does nothing where `permission` has a "*" (measured). OpenCode 2: with `execute` its catalog in the
 * system prompt has to go, which only a permission does.
 */
function adviseOff(host: 1 | 2, idle: readonly ToolRow[], sessions: number): string[] {
  const given = (rows: readonly ToolRow[], where: string, line: (names: string[]) => string): string[] => {
    const known = sumTokens(rows);
    const cost = known > 0 ? `, ${formatCount(known)} tokens of each request` : "";
    const names = rows.map(({ name }) => name);
    const what = `Not called in the last ${sessions} sessions: ${names.join(", ")}${cost}.`;
    return rows.length === 0 ? [] : [`${what} To switch off, in ${where}: ${line(names)}`];
  };
  const each = (names: string[], end: string): string =>
    `{ ${names.map((name) => `${JSON.stringify(name)}: ${end}`).join(", ")} }`;
  const servers = idle.filter((row) => row.tools !== undefined);
  const tools = idle.filter((row) => row.tools === undefined);
  if (host === 1) {
    const where = 'opencode.json, behind "*" if it has one';
    return [
      ...given(tools, where, (names) => `"permission": ${each(names, '"deny"')}`),
      ...given(servers, "opencode.json", (names) => `"mcp": ${each(names, '{ "enabled": false }')}`),
    ];
  }
  const catalog = tools.filter(({ name }) => name === "execute");
  const others = idle.filter((row) => row.name !== "execute" && row.tools !== 0);
  const patterns = others.map((row) => (row.tools === undefined ? row.name : `${beginNames(row.name)}*`));
  const denied = '"permissions": [{ "action": "execute", "resource": "*", "effect": "deny" }]';
  return [
    ...given(catalog, "opencode.json", () => denied),
    ...given(others, "the plugin's options", () => `"tools": { "leaveOut": ${JSON.stringify(patterns)} }`),
  ];
}

/** `fixedTokens`: of a request before its first message, as counted by the provider. */
export function formatToolCosts(
  { advice, rows, sessions, tokens }: ToolCosts,
  { fixedTokens, most }: { fixedTokens: number | undefined; most: number },
): string {
  const isHidden = rows.some((row) => row.tokens === undefined);
  const rest = isHidden ? "system prompt, rules and the tools of MCP servers" : "system prompt and rules";
  const head =
    fixedTokens === undefined
      ? `Tools take ${formatCount(tokens)} tokens of each request.`
      : `Each request begins with ${formatCount(fixedTokens)} tokens: ${formatCount(tokens)} for tools, the others for ${rest}.`;
  const table = rows.slice(0, most).map((row) => {
    const label = row.tools === undefined ? row.name : `${row.name} (MCP server)`;
    const own = row.tokens === undefined ? "?" : formatCount(row.tokens);
    const calls = row.isLeftOut ? "left out" : formatCount(row.calls);
    return `${toLine(label, 40).padEnd(40)}  ${own.padStart(7)}  ${calls.padStart(8)}`;
  });
  return [
    head,
    "",
    `${"tool".padEnd(40)}   tokens     calls in ${DAYS} days (${formatCounted(sessions, "session")})`,
    ...table,
    ...(rows.length > most ? [`… and ${formatCount(rows.length - most)} more`] : []),
    ...(advice.length > 0 ? ["", ...advice] : []),
  ].join("\n");
}
