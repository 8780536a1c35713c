import { dirname } from "node:path";
import { toCode } from "../text/text.js";
import { findRequestAt, type Ledger, numberOf } from "./ledger.js";

export interface PageLine {
  /** Kind, colon, key of the fact. Unique in a page. */
  id: string;
  /** One non-empty line without trailing space. */
  text: string;
  /** Time of the event in milliseconds since 1970; the newest are kept if space is short. */
  at: number;
}

/** Number of the request at a time, as the notes name it; `undefined` before the first. */
export function findNumberAt(ledger: Ledger, at: number): number | undefined {
  const index = findRequestAt(ledger.requests, at);
  return index === -1 ? undefined : numberOf(ledger, index);
}

/** Folders like "/home/me" have everything below them; what is beside a project there is elsewhere. */
const NEAR_ROOT = 3;

/** The text with paths relative to the project, those beside it like a worktree included. */
export function shortenPaths(text: string, project: string): string {
  const parent = dirname(project);
  const isDeep = parent.split("/").length > NEAR_ROOT;
  const inside = shortenOwn(text, project);
  return isDeep ? inside.replaceAll(`${parent}/`, "../") : inside;
}

function shortenOwn(text: string, project: string): string {
  if (project.length < 2 || !text.includes(project)) return text;
  const pieces = text.replaceAll(`cd ${project} && `, "").replaceAll(`${project}/`, "").split(project);
  // A folder beside it may begin with its name.
  return pieces.reduce((before, piece) => before + (/^[\w.-]/.test(piece) ? project : ".") + piece);
}

/** A command or an input as inline code, with paths relative to the project. */
export function toShortCode(text: string, limit: number, project: string): string {
  return toCode(shortenPaths(text, project), limit);
}

/** Files of ours, of the host and of packages, which say nothing about the work. */
const FOREIGN =
  /(?:^|\/)node_modules\/|(?:^|\/)\.opencode\/(?:tool-results|session-memory|strata|memory)\/|\/opencode\/tool-output\//;

export const isForeignFile = (path: string): boolean => FOREIGN.test(path);
