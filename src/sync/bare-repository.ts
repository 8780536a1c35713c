/**
 * Git's part: a bare repository of our own with one ref, `refs/strata/tip`, the last known commit of the remote. It is a
 * cache that can be fetched again. Commits are made with fast-import, which needs no work tree or index. Call under the
 * sync lock.
 */
import { devNull } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { StrataError } from "../base/error.js";
import { isRecord, parseJson } from "../base/shape.js";
import { decodeText, type Files } from "../io/files.js";
import type { RemoteGit, RemoteGitAnswer } from "../io/host.js";
import { withoutCredentials } from "../text/secrets/secrets.js";

export interface BranchFile {
  path: string;
  /** Object name of its contents. */
  blob: string;
  bytes: number;
}

export type BareRepository = ReturnType<typeof createBareRepository>;

interface Remote {
  url: string;
  branch: string;
}

interface CommitOptions {
  parent: string | undefined;
  message: string;
  nowMs: number;
}

export const UNREACHABLE = "UNREACHABLE";
const TIP = "refs/strata/tip";
const NEXT = "refs/strata/next";
const LOCAL_MS = 120_000;
const FILES_AT_A_TIME = 200;

export function createBareRepository({
  files,
  folder,
  git,
  networkMs,
}: {
  files: Files;
  git: RemoteGit;
  folder: string;
  networkMs: number;
}) {
  const asking = createAsking({ folder, git, networkMs });
  const { findTip, local, run, text, toRemote } = asking;

  return {
    findTip,

    /** Creates the repository if there is none, and removes locks that a killed git left behind. */
    async open(): Promise<void> {
      // Created last by git init.
      const isThere = await files.stat(join(folder, "objects", "info"));
      // Also completes a repository that a killed git left incomplete.
      if (!isThere) await local(["init", "--quiet", "--bare", "--template="]);
      for (const place of ["", "refs/strata"])
        for (const name of await files.list(join(folder, place)))
          if (name.endsWith(".lock")) await files.remove(join(folder, place, name));
    },

    /** Fetches the tip, or a newer one, with its history. Returns the commit fetched. @throws UNREACHABLE */
    async fetchTip({ branch, url }: Remote, tip: string): Promise<string> {
      const isHere = await run(["cat-file", "-e", `${tip}^{commit}`]);
      if (isHere.kind === "done") {
        await local(["update-ref", TIP, tip]);
        return tip;
      }
      const quiet = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc"];
      await toRemote(["fetch", ...quiet, "--", url, `+${refOf(branch)}:${TIP}`]);
      return (await text(["rev-parse", "--verify", TIP])).trim();
    },

    async listFiles(commit: string): Promise<BranchFile[]> {
      const listed = await text(["ls-tree", "-r", "-l", "-z", "--full-tree", commit]);
      return listed.split("\0").flatMap((entry) => {
        const [, blob, bytes, path] = /^100644 blob ([0-9a-f]{40,64}) +(\d+)\t(.*)$/s.exec(entry) ?? [];
        return blob !== undefined && path !== undefined ? [{ blob, bytes: Number(bytes), path }] : [];
      });
    },

    /** The texts of these files, in the same order. */
    async readFiles(wanted: readonly BranchFile[]): Promise<string[]> {
      const texts: string[] = [];
      for (let from = 0; from < wanted.length; from += FILES_AT_A_TIME) {
        const some = wanted.slice(from, from + FILES_AT_A_TIME);
        const input = some.map(({ blob }) => `${blob}\n`).join("");
        texts.push(...readBatch(await local(["cat-file", "--batch"], { input }), some));
      }
      return texts;
    },

    /** Commits changes to these files; without `parent`, as a root commit. Returns the commit. */
    async commit(changed: ReadonlyMap<string, string>, options: CommitOptions): Promise<string> {
      const input = formatImport(changed, options);
      await local(["fast-import", "--quiet", "--force", "--done"], { input });
      return (await text(["rev-parse", "--verify", NEXT])).trim();
    },

    push: (remote: Remote, commit: string, expected: string | undefined) =>
      push(asking, remote, { commit, expected }),

    /** Packs loose objects when there are many. */
    async tidy(): Promise<void> {
      await run(["-c", "gc.auto=2000", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet"]);
    },
  };
}

/**
 * Moves the remote's branch from `expected` to this commit. Returns git's words if the branch is elsewhere by now, or held
 * by another push. @throws UNREACHABLE
 */
async function push(
  { askRemote, findTip, local }: ReturnType<typeof createAsking>,
  { branch, url }: Remote,
  { commit, expected }: { commit: string; expected: string | undefined },
): Promise<{ why: string } | undefined> {
  const lease = `--force-with-lease=${refOf(branch)}:${expected ?? ""}`;
  const how = ["--porcelain", "--no-verify", "--quiet", lease, ...planReceiver(url)];
  const answer = await askRemote(["push", ...how, "--", url, `${commit}:${refOf(branch)}`]);
  // Whatever went wrong, if the branch moved, the next try fetches it.
  const tip = answer.kind === "done" ? commit : await findTip({ branch, url });
  if (tip === commit) {
    await local(["update-ref", TIP, commit]);
    return undefined;
  }
  const why = answer.kind === "failed" ? answer.why : "";
  if (tip !== expected || CONTENDED.test(why)) return { why };
  throw unreachable(url, why);
}

/** Git's messages if another push is changing the branch at the same moment. */
const CONTENDED =
  /cannot lock ref|failed to lock|stale info|fetch first|non-fast-forward|failed to update ref|unable to create .*\.lock|incorrect old value/i;

/** In a folder that came with an archive or on a disk, git would run the programs that its repository names. */
function planReceiver(url: string): string[] {
  const isFolder = isAbsolute(url) || /^file:/i.test(url);
  const settings = [
    `core.hooksPath=${devNull}`,
    "core.alternateRefsCommand=true",
    "receive.denyCurrentBranch=refuse",
  ];
  const named = settings.map((setting) => `-c '${setting}'`).join(" ");
  return isFolder ? [`--receive-pack=git ${named} receive-pack`] : [];
}

const refOf = (branch: string): string => `refs/heads/${branch}`;

const unreachable = (url: string, why: string): StrataError =>
  new StrataError(UNREACHABLE, `${withoutCredentials(url)} did not answer as expected: ${why}`);

interface AskOptions {
  input?: string;
  timeoutMs?: number;
}

function createAsking(options: { folder: string; git: RemoteGit; networkMs: number }) {
  const { folder, git, networkMs } = options;
  return { askRemote, findTip, local, run, text, toRemote };

  /** `--git-dir` is explicit: if this one is damaged, git would use a repository in a parent folder. */
  function run(args: readonly string[], options: AskOptions = {}): Promise<RemoteGitAnswer> {
    const place = { folder: dirname(folder), timeoutMs: LOCAL_MS };
    return git.run([`--git-dir=${folder}`, ...args], { ...place, ...options });
  }

  async function local(args: readonly string[], options: AskOptions = {}): Promise<Uint8Array> {
    const answer = await run(args, options);
    if (answer.kind === "done") return answer.output;
    throw new StrataError(
      "NOGIT",
      `git ${args[0]} failed in ${folder}: ${answer.why}. If git is installed, delete that folder; the next sync creates it again`,
    );
  }

  async function text(args: readonly string[]): Promise<string> {
    return decodeText(await local(args));
  }

  function askRemote(args: readonly string[]): Promise<RemoteGitAnswer> {
    return run(args, { timeoutMs: networkMs });
  }

  /** The tip of the remote's branch; `undefined` if there is no such branch. @throws UNREACHABLE */
  async function findTip({ branch, url }: Remote): Promise<string | undefined> {
    const found = decodeText(await toRemote(["ls-remote", "--", url, refOf(branch)]));
    return /^([0-9a-f]{40,64})\s/.exec(found)?.[1];
  }

  async function toRemote(args: readonly string[]): Promise<Uint8Array> {
    const answer = await askRemote(args);
    if (answer.kind === "done") return answer.output;
    throw unreachable(args.find((one) => one.includes("/") || one.includes(":")) ?? "the remote", answer.why);
  }
}

/** Parses `<name> blob <bytes>\n<contents>\n` for each file. */
function readBatch(output: Uint8Array, wanted: readonly BranchFile[]): string[] {
  const texts: string[] = [];
  let at = 0;
  for (const { path } of wanted) {
    const end = output.indexOf(0x0a, at);
    const [, bytes] = / blob (\d+)$/.exec(decodeText(output.subarray(at, end))) ?? [];
    if (bytes === undefined) throw new StrataError("NOGIT", `git did not return the contents of ${path}`);
    const from = end + 1;
    texts.push(decodeText(output.subarray(from, from + Number(bytes))));
    at = from + Number(bytes) + 1;
  }
  return texts;
}

/** Input for fast-import: one commit on a separate ref. */
function formatImport(
  changed: ReadonlyMap<string, string>,
  { message, nowMs, parent }: CommitOptions,
): string {
  const data = (text: string): string => `data ${new TextEncoder().encode(text).byteLength}\n${text}\n`;
  const files = [...changed].map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
  return [
    `commit ${NEXT}\n`,
    `committer Strata <strata@localhost> ${Math.floor(nowMs / 1000)} +0000\n`,
    data(message),
    ...(parent === undefined ? [] : [`from ${parent}\n`]),
    ...files,
    "\ndone\n",
  ].join("");
}

/*
 * The files of the branch on the remote. Nothing else is read from it.
 *
 *     strata.json                              the format and the scope
 *     README.md                                for people who open the branch
 *     ledger/2026-11/3f9a1c22/0001.jsonl       lines of the ledger file 2026-11-3f9a1c22.jsonl, in its order
 *
 * A file of lines grows to about 128 KB before the next one begins, so a push writes little for a ledger of any size. Pure.
 */

export const FORMAT_FILE = "strata.json";
const FULL_BYTES = 128 * 1024;
/** Larger files are not read: a file has at most `FULL_BYTES` before its last line. */
export const MOST_FILE_BYTES = 8_000_000;

function formatSegment(ledgerFile: string, number: number): string {
  const [, month, clone] = /^(\d{4}-\d{2})-(\w+)\.jsonl$/.exec(ledgerFile) ?? [];
  return `ledger/${month}/${clone}/${String(number).padStart(4, "0")}.jsonl`;
}

/** The ledger file whose lines are in this file of the branch, and that file's number; `undefined` for any other file. */
export function parseSegment(path: string): { ledgerFile: string; number: number } | undefined {
  const [, month, clone, number] =
    /^ledger\/(\d{4}-\d{2})\/([0-9a-f]{8}|unnamed)\/(\d{4,6})\.jsonl$/.exec(path) ?? [];
  return number === undefined ? undefined : { ledgerFile: `${month}-${clone}.jsonl`, number: Number(number) };
}

export type Scope = "project" | "global";

export function formatBranchPages(scope: Scope): Record<string, string> {
  const what = scope === "global" ? "a user's global memories" : "memories of a project";
  return {
    [FORMAT_FILE]: `${JSON.stringify({ v: 1, scope })}\n`,
    "README.md": `# Strata\n\nThis branch holds ${what}, written by \`strata sync\` of opencode-strata. Each line of a file in\n\`ledger/\` is one change of one memory. Edit memories with Strata or in their own folder, not here.\n`,
  };
}

/** Why a branch with this format file (`undefined`: none) cannot be used; `undefined` if it can. */
export function findFormatFault(text: string | undefined, scope: Scope): string | undefined {
  if (text === undefined)
    return `it holds something else (it has no ${FORMAT_FILE}); choose another branch with --branch`;
  const format = parseJson(text);
  if (!isRecord(format) || typeof format.v !== "number") return `its ${FORMAT_FILE} cannot be read`;
  if (format.v > 1) return `a newer Strata wrote it (format ${format.v}); update this one`;
  return format.scope === scope
    ? undefined
    : `it holds ${String(format.scope)} memories, expected ${scope}; choose another branch with --branch`;
}

/** New contents of files on the branch, by path. */
export function planSegments(
  lines: readonly { file: string; text: string }[],
  /** The last existing branch file of each ledger file, with its contents. */
  last: ReadonlyMap<string, { number: number; text: string }>,
): Map<string, string> {
  const changed = new Map<string, string>();
  const open = new Map(last);
  for (const { file, text } of lines) {
    const at = open.get(file) ?? { number: 1, text: "" };
    const isFull = at.text.length >= FULL_BYTES;
    const next = { number: at.number + Number(isFull), text: `${isFull ? "" : at.text}${text}\n` };
    open.set(file, next);
    changed.set(formatSegment(file, next.number), next.text);
  }
  return changed;
}
