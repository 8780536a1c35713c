/** Adds an entry to the text of a configuration file and leaves the rest unchanged. Pure. */
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, type ParseError, parse } from "jsonc-parser";
import toml from "toml";
import { isRecord, type PlainRecord } from "../../base/records.js";
import type { Entry } from "./clients.js";

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
