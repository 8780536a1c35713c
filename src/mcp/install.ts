/** `strata mcp install`: prints the entry for a client's configuration, or writes it. */
import { dirname, join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type ParseError, parse } from "jsonc-parser";
import toml from "toml";
import { StrataError } from "../base/error.js";
import { isRecord } from "../base/shape.js";
import { decodeStrictly } from "../io/files.js";
import {
  type CliContext,
  type ExitCode,
  exitCodes,
  type OptionValues,
  WRONG_ARGUMENT,
} from "../operations/command.js";
import { requireProject } from "../operations/find-project.js";
import { type Client, clientNames, clients, type Entry, type ServerCommand } from "./clients.js";
import { chooseTools } from "./tool.js";
import { tools } from "./tools.js";

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
  if (write) return writeEntry(cli, { client, entry, name, root });
  const place = client.file === undefined ? "" : `, in ${join(root, client.file)}`;
  cli.warn(`For ${client.title}${place}:`);
  cli.say(formatsOf(client).print(entry, "\n"));
  cli.warn(client.note);
  return exitCodes.fine;
}

async function writeEntry(
  cli: CliContext,
  { client, entry, name, root }: { client: Client; entry: Entry; name: unknown; root: string },
): Promise<ExitCode> {
  if (client.file === undefined)
    throw new StrataError(WRONG_ARGUMENT, `--write: leave it out for ${name}. ${client.note}`);
  const path = join(root, client.file);
  const text = await readToEdit(cli, path, root);
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const plan = planEntry(text.slice(mark.length), entry, formatsOf(client));
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
function planCommand({ packageFolder }: CliContext, args: string[]): ServerCommand {
  return packageFolder === undefined
    ? { command: "npx", args: ["-y", "opencode-strata", ...args] }
    : { command: "node", args: [join(packageFolder, "dist", "strata.js"), ...args] };
}

const BYTE_ORDER_MARK = "\ufeff";

/**
 * The file's text; empty if there is none. Refuses links in place of the file or its folder: one may have come with the
 * repository and lead anywhere.
 */
async function readToEdit({ files }: CliContext, path: string, root: string): Promise<string> {
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
  const text = bytes === undefined ? "" : decodeStrictly(bytes);
  if (text === undefined)
    throw new StrataError("CONFIG_BROKEN", `${path} was not changed: it is not UTF-8 text; edit it yourself`);
  const hasMark = bytes?.[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return hasMark ? `${BYTE_ORDER_MARK}${text}` : text;
}

/* Adds an entry to the text of a configuration file and leaves the rest unchanged. Pure. */

interface Format {
  name: string;
  parse(text: string): unknown;
  /** The entry alone. */
  print(entry: Entry, eol: string): string;
  /** `text` is not blank. */
  add(text: string, entry: Entry): string;
}

const JSONC: Format = {
  name: "JSON",
  parse(text) {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    return errors.length > 0 ? undefined : value;
  },
  print: ({ path: [group, name], value }) => JSON.stringify({ [group]: { [name]: value } }, null, 2),
  add(text, { path, value }) {
    const formattingOptions = { tabSize: 2, eol: "\n", insertSpaces: !/^\t/m.test(text) };
    return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  },
};

const TOML: Format = {
  name: "TOML",
  parse(text) {
    try {
      return toml.parse(text);
    } catch {
      return undefined;
    }
  },
  print: ({ path, value }, eol) =>
    [
      `[${path.join(".")}]`,
      ...Object.entries(value).map(([key, field]) =>
        Array.isArray(field)
          ? `${key} = [${field.map((one) => JSON.stringify(one)).join(", ")}]`
          : `${key} = ${JSON.stringify(field)}`,
      ),
    ].join(eol),
  add(text, entry) {
    const eol = text.includes("\r\n") ? "\r\n" : "\n";
    const gap = /\n\r?\n$/.test(text) ? "" : text.endsWith("\n") ? eol : eol + eol;
    return `${text}${gap}${this.print(entry, eol)}${eol}`;
  },
};

const formatsOf = ({ isToml }: Client): Format => (isToml ? TOML : JSONC);

type EntryPlan = { kind: "there" } | { kind: "write"; text: string } | { kind: "refused"; why: string };

function planEntry(text: string, entry: Entry, format: Format): EntryPlan {
  const [group, name] = entry.path;
  if (text.trim() === "") return { kind: "write", text: `${format.print(entry, "\n")}\n` };
  const before = format.parse(text);
  if (!isRecord(before)) return { kind: "refused", why: `it is not ${format.name}` };
  const servers = before[group] ?? {};
  if (!isRecord(servers)) return { kind: "refused", why: `its "${group}" is not a list of servers` };
  const there = servers[name];
  if (there !== undefined)
    return isRecord(there) && isSame({ ...there, ...entry.value }, there)
      ? { kind: "there" }
      : { kind: "refused", why: `it already has a server "${name}"` };
  const edited = format.add(text, entry);
  // A server cannot be added to a group that is written inline, for instance.
  const wanted = { ...before, [group]: { ...servers, [name]: entry.value } };
  return isSame(format.parse(edited), wanted)
    ? { kind: "write", text: edited }
    : { kind: "refused", why: "it cannot be edited without a loss" };
}

/** Parsers make objects of different prototypes. */
const isSame = (one: unknown, other: unknown): boolean =>
  one !== undefined && isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
