/** `strata mcp install`: prints the entry for a client's configuration, or writes it. */
import { dirname, join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type ParseError, parse } from "jsonc-parser";
import toml from "toml";
import { StrataError } from "../../base/error.js";
import { isRecord, type PlainRecord } from "../../base/shape.js";
import { decodeStrictly } from "../../io/files.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type OptionValues,
  WRONG_ARGUMENT,
} from "../../operations/command.js";
import { requireProject } from "../../operations/find-project.js";
import { chooseTools } from "../offer.js";
import { tools } from "../tools/search-tools.js";
import { clientNames, clients, type Entry, type ServerCommand } from "./clients.js";

export async function install(cli: CliContext, options: OptionValues): Promise<ExitCode> {
  const { for: name, private: isPrivate, project, tools: wanted, write } = options;
  const client = typeof name === "string" && Object.hasOwn(clients, name) ? clients[name] : undefined;
  if (!client)
    throw new StrataError(
      WRONG_ARGUMENT,
      `expected --for and one of ${clientNames.join(", ")}, ${name === undefined ? "none" : `"${name}"`} came`,
    );
  // A name that the server refuses would be noticed by nobody but the client.
  if (typeof wanted === "string") chooseTools(tools, wanted);
  const root = await requireProject(cli);
  const other =
    typeof project === "string"
      ? await requireProject({ ...cli, folder: resolve(cli.folder, project) })
      : undefined;
  const server = planCommand(cli, [
    "mcp",
    ...(typeof wanted === "string" ? ["--tools", wanted] : []),
    ...(isPrivate ? ["--private"] : []),
  ]);
  const entry = client.plan(server, { root, other });
  if (!write) {
    const place = client.file === undefined ? "" : `, in ${join(root, client.file)}`;
    cli.warn(`For ${client.title}${place}:`);
    cli.say(formatEntry(entry));
    cli.warn(client.note);
    return exitCodes.fine;
  }
  if (client.file === undefined)
    throw new StrataError(WRONG_ARGUMENT, `--write: leave it out for ${name}. ${client.note}`);
  const path = join(root, client.file);
  const { mark, text } = await readToEdit(cli, { path, root });
  const plan = planEntry(text, entry);
  if (plan.kind === "refused")
    throw new StrataError(
      "CONFIG_BROKEN",
      `${path} was not changed: ${plan.why}. Run it without --write and add the printed entry yourself`,
    );
  if (plan.kind === "write") await cli.files.writeWhole(path, `${mark}${plan.text}`, { mode: "kept" });
  cli.say(plan.kind === "there" ? `Already configured: ${path}` : `Written: ${path}`);
  cli.say(client.note);
  return exitCodes.fine;
}

/** The published package through npx, or this copy of it. */
function planCommand({ packageFolder }: Pick<CliContext, "packageFolder">, args: string[]): ServerCommand {
  return packageFolder === undefined
    ? { command: "npx", args: ["-y", "opencode-strata", ...args] }
    : { command: "node", args: [join(packageFolder, "dist", "strata.js"), ...args] };
}

const BYTE_ORDER_MARK = "\ufeff";

/**
 * The file's text without its byte order mark, and that mark. Refuses links in place of the file or its folder: one may
 * have come with the repository and lead anywhere.
 */
async function readToEdit(
  { files }: Pick<CliContext, "files">,
  { path, root }: { path: string; root: string },
): Promise<{ mark: string; text: string | undefined }> {
  const stat = await files.statItself(path);
  const folder = await files.realPath(dirname(path));
  const within = (await files.realPath(root)) ?? root;
  const isElsewhere = folder !== undefined && folder !== join(within, relative(root, dirname(path)));
  if (isElsewhere || (stat !== undefined && stat.kind !== "file"))
    throw new StrataError(
      "CONFIG_ELSEWHERE",
      `${path} was not changed: it is not a plain file of the project; edit it yourself`,
    );
  const bytes = await files.read(path, { links: "refused" });
  if (bytes === undefined) return { mark: "", text: undefined };
  const text = decodeStrictly(bytes);
  if (text === undefined)
    throw new StrataError("CONFIG_BROKEN", `${path} was not changed: it is not UTF-8 text; edit it yourself`);
  const hasMark = decodeStrictly(bytes.subarray(0, 3)) === "" && bytes.length >= 3;
  return { mark: hasMark ? BYTE_ORDER_MARK : "", text };
}

/* Adds an entry to the text of a configuration file and leaves the rest unchanged. Pure. */

export type EntryPlan =
  | { kind: "there" }
  | { kind: "write"; text: string }
  /** `why` ends a sentence about the file. */
  | { kind: "refused"; why: string };

const FORMAT = { insertSpaces: true, tabSize: 2, eol: "\n" };
const JSONC = { allowTrailingComma: true };

/** `text`: the file's contents; `undefined` if there is no file. */
export function planEntry(text: string | undefined, entry: Entry): EntryPlan {
  return entry.kind === "toml" ? planToml(text ?? "", entry) : planJson(text, entry);
}

/** The entry alone, for people. */
export function formatEntry(entry: Entry): string {
  if (entry.kind === "toml") return formatToml(entry, "\n");
  return JSON.stringify(nest(entry.path, entry.value), null, 2);
}

function formatToml({ path, value: { args, command } }: Entry & { kind: "toml" }, eol: string): string {
  const quoted = args.map((one) => JSON.stringify(one)).join(", ");
  return [`[${path.join(".")}]`, `command = ${JSON.stringify(command)}`, `args = [${quoted}]`].join(eol);
}

function planToml(text: string, entry: Entry & { kind: "toml" }): EntryPlan {
  const [group, name] = entry.path;
  const before = parseToml(text);
  if (!before) return refuse("it is not TOML");
  const listed = before[group] ?? {};
  if (!isRecord(listed)) return refuse(`its "${group}" is not a list of servers`);
  const there = listed[name];
  if (there !== undefined)
    return isRecord(there) && isDeepStrictEqual({ ...there, ...entry.value }, { ...there })
      ? { kind: "there" }
      : refuse(`it already has a server "${name}"`);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text.trim() === "" || /\n\r?\n$/.test(text) ? "" : text.endsWith("\n") ? eol : eol + eol;
  const edited = `${text}${gap}${formatToml(entry, eol)}${eol}`;
  return isOnlyAdded(parseToml(edited), before, entry)
    ? { kind: "write", text: edited }
    : refuse("it cannot be edited without a loss");
}

/** A server cannot be added to a group that is written inline, for instance. */
function isOnlyAdded(
  after: PlainRecord | undefined,
  before: PlainRecord,
  { path: [group, name], value }: Entry & { kind: "toml" },
): boolean {
  const servers = after?.[group];
  if (!after || !isRecord(servers) || !isRecord(servers[name])) return false;
  const isExact = isDeepStrictEqual({ ...servers[name] }, { ...value });
  delete servers[name];
  if (before[group] === undefined && Object.keys(servers).length === 0) delete after[group];
  return isExact && isDeepStrictEqual(after, before);
}

function parseToml(text: string): PlainRecord | undefined {
  try {
    const parsed: unknown = toml.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function planJson(text: string | undefined, { path, value }: Entry & { kind: "json" }): EntryPlan {
  if (text === undefined || text.trim() === "")
    return { kind: "write", text: `${JSON.stringify(nest(path, value), null, 2)}\n` };
  const errors: ParseError[] = [];
  const before: unknown = parse(text, errors, JSONC);
  if (errors.length > 0 || !isRecord(before)) return refuse("it is not JSON");
  const [group, name] = path;
  const listed = before[group];
  if (listed !== undefined && !isRecord(listed)) return refuse(`its "${group}" is not a list of servers`);
  const there = isRecord(listed) ? listed[name] : undefined;
  if (there !== undefined)
    return JSON.stringify(there) === JSON.stringify(value)
      ? { kind: "there" }
      : refuse(`it already has a server "${name}"`);
  const formattingOptions = { ...FORMAT, insertSpaces: !/^\t/m.test(text) };
  const edited = applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  const wanted = { ...before, [group]: { ...(isRecord(listed) ? listed : {}), [name]: value } };
  const isExact = JSON.stringify(parse(edited, [], JSONC)) === JSON.stringify(wanted);
  return isExact ? { kind: "write", text: edited } : refuse("it cannot be edited without a loss");
}

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, name) => ({ [name]: inner }), value);

const refuse = (why: string): EntryPlan => ({ kind: "refused", why });
