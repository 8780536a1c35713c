/** Finds out whether a successful call is the correction of a failed one, and what was changed. Pure. */
import { findTouchedPaths, isChangingTool, mayShowSecrets, readInput } from "../../src/conversation/call.js";
import type { ToolPart } from "../../src/conversation/message.js";
import { formatCall, type ReadingOptions, readCommand, toField } from "./ended-call.js";
import { splitCommand } from "./failed-command.js";
import { normalizeCommand } from "./fingerprint.js";
import { isReworded, isSpelledAlike, splitShellWords } from "./spelling.js";

/** Arguments for how, how long or how much, not for what is done. */
const IRRELEVANT_FIELDS = new Set(["description", "timeout", "offset", "limit", "workdir", "head_limit"]);
/** Long texts, shown only if no shorter field has changed. */
const LONG_FIELDS = new Set(["newString", "new_string", "content", "patchText"]);
const LONGEST_RESOLUTION = 260;
const LONGEST_VALUE = 100;
/** Half a secret is not recognised, so values are shortened to their final length after secrets are removed. */
const LOOKED_AT = 5_000;
const MOST_FIELDS = 3;

/** The change, for people; `undefined` if the call is not a correction. */
export function findChange(failed: ToolPart, worked: ToolPart, options: ReadingOptions): string | undefined {
  if (isChangingTool(failed.tool) && isChangingTool(worked.tool))
    return findChangedEdit(failed, worked, options);
  if (failed.tool !== worked.tool) return undefined;
  const [before, after] = [failed, worked].map((part) => {
    const command = readCommand(part);
    return command === undefined ? undefined : normalizeCommand(command, options.project);
  });
  if (before !== undefined && after !== undefined) {
    const isChange =
      isReworded(splitShellWords(before), splitShellWords(after)) && isSameProgram(before, after);
    return isChange ? `worked as: ${formatCall(worked, options)}` : undefined;
  }
  return isSameInput(readInput(failed), readInput(worked))
    ? formatFields(failed, worked, options)
    : undefined;
}

/** Do both run the same program, or programs with similar names? */
function isSameProgram(before: string, after: string): boolean {
  const [programs, others] = [before, after].map((line) =>
    splitCommand(line).map((simple) => splitShellWords(simple)[0] ?? ""),
  );
  const isAlike = (one: string, other: string): boolean =>
    isSpelledAlike(one, other) || one.startsWith(`${other}-`) || other.startsWith(`${one}-`);
  return programs?.some((one) => others?.some((other) => isAlike(one, other))) ?? false;
}

/** Another edit of the same file, or the same edit with a corrected path. */
function findChangedEdit(failed: ToolPart, worked: ToolPart, options: ReadingOptions): string | undefined {
  const [paths, others] = [failed, worked].map((part) => findTouchedPaths(part, options.project));
  const isSame = others?.some((path) => paths?.includes(path)) ?? false;
  const isMoved = others?.some((path) => paths?.some((one) => isReworded([one], [path]))) ?? false;
  if (!isSame && !isMoved) return undefined;
  if (failed.tool === worked.tool) return formatFields(failed, worked, options);
  return `worked as: ${worked.tool} ${formatCall(worked, options)}`;
}

type Input = Readonly<Record<string, unknown>>;

/** Is every field equal or corrected, with at least one text among them? */
function isSameInput(before: Input, after: Input): boolean {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const relevant = names.filter((name) => !IRRELEVANT_FIELDS.has(name));
  const isKept = (name: string): boolean => {
    const [one, other] = [before[name], after[name]];
    if (one === undefined || other === undefined) return true;
    if (typeof one === "string" && typeof other === "string")
      return one === other || isReworded(splitShellWords(one), splitShellWords(other));
    return JSON.stringify(one) === JSON.stringify(other);
  };
  const hasText = relevant.some(
    (name) => typeof before[name] === "string" && typeof after[name] === "string",
  );
  return hasText && relevant.every(isKept);
}

function formatFields(failed: ToolPart, worked: ToolPart, { project, redact }: ReadingOptions): string {
  const [before, after] = [readInput(failed), readInput(worked)];
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const relevant = changed.filter((name) => name !== "description");
  const short = relevant.filter((name) => !LONG_FIELDS.has(name));
  const shown = (short.length > 0 ? short : relevant).slice(0, MOST_FIELDS);
  if (mayShowSecrets(worked) || shown.length === 0) return "worked with other arguments";
  const values = shown.map((name) => {
    const value = after[name];
    if (value === undefined) return `without ${name}`;
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return `${name} ${JSON.stringify(toField(redact(text.slice(0, LOOKED_AT).replaceAll(`${project}/`, "")), LONGEST_VALUE))}`;
  });
  return toField(`worked with ${values.join(", ")}`, LONGEST_RESOLUTION);
}
