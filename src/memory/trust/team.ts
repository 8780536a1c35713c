/**
 * The remotes of a project, and the memories that came from them: those of the user's team, if the user says so.
 *
 *     not answered yet   they are the repository's, and the user is asked about the remote
 *     no                 they stay the repository's
 *     yes                they are shown with the author that git names: as data, never as the user's words or rules
 *
 * An answer is about an address, so another address is asked about again. A memory came from a remote if one of its
 * branches, as last fetched, has the contents at that path by a commit that was not made here. Who can push can claim to
 * be any author, and who can write git's configuration, any address; where it rewrites addresses, nothing is asked.
 */
import { join, relative, resolve, sep } from "node:path";
import { StrataError } from "../../base/error.js";
import { hashOf } from "../../base/hash.js";
import { toLine } from "../../base/text.js";
import { type Files, pathBelow, readPlainText } from "../../io/files.js";
import type { Git } from "../../io/host.js";
import {
  type GitFolder,
  type Identity,
  listRemotes,
  nameObjects,
  nameRemote,
  readChanges,
  readMadeHere,
} from "./git.js";
import type { NamedContents, RecordLine, TrustRecord } from "./record.js";

/* Projects that the user's own configuration always trusts. */

export interface AcceptedPlaces {
  /** Absolute paths; one that ends in `/*` matches all folders below. */
  projects: readonly string[];
  /** `host/owner/name`; `host/owner/*` matches all repositories of an owner. */
  remotes: readonly string[];
}

/** Is the project accepted, by its path or by all of its remotes? */
export async function isAccepted(
  files: Files,
  { projects, remotes }: AcceptedPlaces,
  { git, root }: Identity,
): Promise<boolean> {
  const fits = (wanted: string, given: string): boolean =>
    wanted.endsWith("/*") ? given.startsWith(wanted.slice(0, -1)) : wanted.replace(/\/+$/, "") === given;
  // Windows paths are written with either slash.
  const [slashed, given] = [root.replaceAll(sep, "/"), projects.map((one) => one.replaceAll(sep, "/"))];
  if (given.some((one) => fits(one, slashed))) return true;
  if (!git || remotes.length === 0) return false;
  const config = await readPlainText(files, join(git.common, "config"));
  // The checked-out files may come from any of them.
  const named = listRemotes(config).map(({ url }) => nameRemote(url) ?? url);
  const fitsAny = (name: string): boolean => remotes.some((one) => fits(one.toLowerCase(), name));
  return named.length > 0 && !REDIRECTS.test(config) && named.every(fitsAny);
}

/** Settings by which an address is another one. */
const REDIRECTS = /^\s*\[\s*(url|include|includeif)\b/im;

/** An address without credentials, the same in all its forms, or a folder; `undefined` for any other. Pure. */
export function formatAddress(url: string, top: string): string | undefined {
  const path = url.replace(/^file:\/\//i, "");
  const isPath = path !== url || /^([A-Za-z]:[\\/]|[^:]*$)/.test(url);
  return isPath ? resolve(top, path).replace(/[\\/]?\.git$/, "") : nameRemote(url);
}

/* Whether a remote's people are the user's team, and what they have written. */

export interface TeamQuestion {
  /** Name of the remote. */
  remote: string;
  address: string;
  memories: number;
  /** Authors that git names for the memories there. */
  people: number;
}

/** A memory's file, with its absolute path. */
export type KnownFile = NamedContents & { path: string };

interface TeamOptions {
  files: Files;
  /** The project. */
  folder: string;
  git: Git | undefined;
  identity: Identity;
  record: TrustRecord;
  note(line: RecordLine): Promise<void>;
}

type Remote = Pick<TeamQuestion, "address" | "remote">;

export interface SeenRemotes {
  addresses: readonly string[];
  question?: TeamQuestion | undefined;
  /** Differs if another look may find something else. */
  of: string;
}

/** Finds the remotes from which these files came that are not the user's; git is asked only after a change. */
export async function lookAtRemotes(
  options: TeamOptions,
  others: readonly KnownFile[],
  before: SeenRemotes | undefined,
): Promise<SeenRemotes> {
  const { files, identity, note, record } = options;
  const remotes = identity.git ? await readTeamRemotes(files, identity.git) : [];
  const addresses = remotes.map(({ address }) => address);
  const waiting = others.filter(({ hash }) => !addresses.some((one) => record.authorOf(hash, one)));
  const answers = remotes.map((one) => [one, record.answerOf(one.address)]);
  const of = JSON.stringify([answers, waiting.map(({ hash }) => hash)]);
  if (before?.of === of) return before;
  let question: TeamQuestion | undefined;
  for (const one of remotes) {
    const answer = record.answerOf(one.address);
    const came = answer === false ? undefined : await findCame(options, one.remote, waiting);
    if (!came || came.files.length === 0) continue;
    if (answer) await note({ op: "came", remote: one.address, files: came.files });
    else question ??= { ...one, memories: came.files.length, people: came.people };
  }
  return { addresses, question, of };
}

/** Notes the user's answer about the remote at this address, and says what it means. @throws StrataError REFUSED */
export async function noteAnswer(
  { files, identity: { git }, note }: Pick<TeamOptions, "files" | "identity" | "note">,
  { at, isTeam, remote }: { at: string; isTeam: boolean; remote: string },
): Promise<string> {
  const known = git ? await readTeamRemotes(files, git) : [];
  if (!known.some(({ address }) => address === remote))
    throw new StrataError("REFUSED", `expected the address of one of the project's remotes, got "${remote}"`);
  await note({ op: "team", remote, answer: isTeam ? "yes" : "no", at });
  const means = "is your team's from now on: shown with its author, never as a rule";
  return `What comes from ${remote} ${isTeam ? means : "stays the repository's, and you are not asked again"}.`;
}

/** Upstream first: a fork has its memories, too. A remote that git would take for a pattern has none. */
async function readTeamRemotes(files: Files, { common, top }: GitFolder): Promise<Remote[]> {
  const config = await readPlainText(files, join(common, "config"));
  const addresses = new Map<string, string | undefined>();
  // Git fetches from the first address of each.
  for (const { name, url } of REDIRECTS.test(config) ? [] : listRemotes(config))
    if (/^\w[\w./-]*$/.test(name) && !addresses.has(name)) addresses.set(name, formatAddress(url, top));
  return [...addresses]
    .flatMap(([remote, address]) => (address === undefined ? [] : [{ remote, address }]))
    .sort((a, b) => Number(b.remote === "upstream") - Number(a.remote === "upstream"));
}

/** Signs that no name has; with them one could pass for the text around it. */
const NO_NAME = /[^\p{L}\p{M}\p{N} .'’_-]+/gu;
const LONGEST_NAME = 40;

/** Those of these files that a remote's branches have or had, with the first author; `undefined` without git's answer. */
async function findCame(
  { files, folder, git, identity: { git: place, root } }: TeamOptions,
  remote: string,
  waiting: readonly KnownFile[],
) {
  const inTree = place && pathBelow(place.top, join(root, ".opencode", "memory"));
  if (!git || !place || inTree === undefined) return undefined;
  const ask = (args: readonly string[]) => git.ask(args, { folder: place.top });
  const changes = await readChanges(ask, [`--remotes=${remote}`], inTree);
  const made = await readMadeHere(files, place);
  // The oldest commits of a shallow clone have all that was there before.
  const shallow = await readPlainText(files, join(place.common, "shallow"));
  const came: NamedContents[] = [];
  for (const { hash, name, path } of waiting) {
    const contents = await files.read(path);
    if (!contents || hashOf(contents) !== hash) continue;
    const ids = nameObjects(contents);
    const inside = pathBelow(place.top, join(root, relative(folder, path)));
    const first = changes?.findLast((one) => one.path === inside && ids.includes(one.id));
    if (!first || made.includes(first.commit)) continue;
    const author = toLine(first.author.replace(NO_NAME, " "), LONGEST_NAME) || SOMEBODY;
    came.push({ name, hash, author: shallow.includes(first.commit) ? SOMEBODY : author });
  }
  return changes && { files: came, people: new Set(changes.map(({ address }) => address)).size };
}

const SOMEBODY = "somebody";
