/** Problems of the folders that Strata writes to, for the log, `/memory`, `strata doctor` and `strata check`. */
import { dirname, join, sep } from "node:path";
import type PQueue from "p-queue";
import { formatError } from "../base/error.js";
import type { Clock } from "../io/clock.js";
import { DERIVED_MS, type Deferred } from "../io/deferred.js";
import { type Files, readText } from "../io/files.js";
import type { Git } from "../io/host.js";
import type { Log } from "../io/log.js";
import { SCREEN_OPENS_MS, type Toasts } from "../io/toasts.js";
import { type Folders, hideFromGit, planRules, TORN_RULE } from "./folders.js";
import { describeEscape, findEscapes } from "./own-files.js";

interface OwnFlaw {
  /** The folder or file. */
  path: string;
  what: string;
  todo: string;
  /** Rules that its `.gitignore` lacks, which can be added. */
  lacking?: readonly string[];
}

export interface OwnFlawsOptions {
  files: Files;
  folders: Folders;
  config: { linkedFolders: readonly string[]; committedFolders: readonly string[] };
  /** Without it nobody tells which files git tracks. */
  git?: Git | undefined;
}

/** Finds every problem. Never rejects: a folder that cannot be read is a problem, too. */
export async function findOwnFlaws(options: OwnFlawsOptions): Promise<OwnFlaw[]> {
  const { config, files, folders } = options;
  try {
    const out = await findEscapes(files, folders, config.linkedFolders);
    return [
      ...out.map((one) => ({ path: one.folder, ...describeEscape(one) })),
      ...(await findIgnoreFlaws(options)),
      ...(await findTrackedFlaws(options)),
    ];
  } catch (thrown) {
    const path = dirname(folders.strata);
    return [{ path, what: `it cannot be read: ${formatError(thrown)}`, todo: "check its permissions" }];
  }
}

/** One line. */
export const formatOwnFlaw = ({ path, todo, what }: OwnFlaw): string => `${path}: ${what}; ${todo}`;

interface LookAfterOptions extends OwnFlawsOptions {
  clock: Clock;
  writes: PQueue;
  background: PQueue;
  deferred: Pick<Deferred, "add">;
  log: Log;
  toasts: Pick<Toasts, "show">;
}

/** At start-up: fixes what it can, then logs each remaining problem, and shows one toast. Returns at once. */
export function lookAfterFolders(given: LookAfterOptions): void {
  const { background, clock, deferred, files, folders, log, toasts, writes } = given;
  // Before the first line of the log.
  void writes.add(() =>
    hideFromGit(files, folders.strata).catch((thrown) => log.warn("strata", formatUnignored(thrown))),
  );
  void background.add(async () => {
    for (const sentence of await completeIgnores(given)) log.warn("strata", sentence);
  });
  // It asks git about every file, which the first request need not wait for.
  deferred.add("flaws of our folders", tellFlaws, DERIVED_MS);

  async function tellFlaws(): Promise<void> {
    const flaws = await findOwnFlaws(given);
    for (const flaw of flaws) log.warn("strata", formatOwnFlaw(flaw));
    const [first] = flaws;
    if (first === undefined) return;
    const more = flaws.length > 1 ? ` (${flaws.length - 1} more in /memory)` : "";
    clock.after(SCREEN_OPENS_MS, () => toasts.show(`${formatOwnFlaw(first)}${more}`, "warning"));
  }
}

const formatUnignored = (thrown: unknown): string =>
  `cannot write .opencode/strata/.gitignore, so do not commit that folder: ${formatError(thrown)}`;

/** Adds missing rules to each `.gitignore` and returns sentences for the log. */
async function completeIgnores(options: OwnFlawsOptions): Promise<string[]> {
  const said: string[] = [];
  try {
    for (const { lacking, path } of await findIgnoreFlaws(options)) {
      if (!lacking) continue;
      await hideFromGit(options.files, dirname(path), lacking);
      said.push(`${path} did not keep Strata's files out of git; added the missing rules`);
    }
  } catch (thrown) {
    said.push(`cannot complete every .gitignore of Strata's folders: ${formatError(thrown)}`);
  }
  return said;
}

/** The folders of Strata, with the rules that git should follow there, and the files that it should not track. */
function listHidden({ config, folders }: OwnFlawsOptions) {
  const { memory, sessionMemory, strata, toolResults } = folders;
  const all = { rules: ["*"], tracked: /^(?!\.gitignore$)/ };
  const ofMemory = {
    rules: ["MEMORY.md", "/errors.log*", TORN_RULE],
    tracked: /^(MEMORY\.md|errors\.log.*)$/,
  };
  const mayBeCommitted = [
    { folder: toolResults, ...all },
    { folder: sessionMemory, ...all },
    { folder: memory, ...ofMemory },
  ];
  // Machine state and private memories are never shared.
  const never = [strata, join(memory, "private")].map((folder) => ({ folder, ...all }));
  return [...never, ...mayBeCommitted.filter(({ folder }) => !config.committedFolders.includes(folder))];
}

async function findIgnoreFlaws(options: OwnFlawsOptions): Promise<OwnFlaw[]> {
  const { files } = options;
  const found: OwnFlaw[] = [];
  for (const { folder, rules } of listHidden(options)) {
    const path = join(folder, ".gitignore");
    if ((await files.statItself(path))?.kind === "folder") {
      const what = "it is a folder, so git ignores nothing here";
      found.push({ path, what, todo: "put a file in its place" });
      continue;
    }
    const text = await readText(files, path);
    const lacking: string[] = [];
    // A missing .gitignore is created before the first file, and a rule for one file together with that file.
    for (const rule of text === undefined ? [] : planRules(text, rules)) {
      const name = rule === TORN_RULE ? "MEMORY.md" : rule.replace(/^\/|\*$/g, "");
      if (name === "" || (await files.stat(join(folder, name)))) lacking.push(rule);
    }
    if (lacking.length === 0) continue;
    const what = "it does not keep Strata's files there out of git, so a commit would include them";
    const list = lacking.map((rule) => `"${rule}"`).join(" and ");
    found.push({ path, what, todo: formatChoice(`append ${list}`, folder, options), lacking });
  }
  return found;
}

async function findTrackedFlaws(options: OwnFlawsOptions): Promise<OwnFlaw[]> {
  const { folders, git } = options;
  const listed = await git?.ask(["ls-files", "-z", "--", ".opencode"], { folder: folders.project });
  const paths = (listed ?? "").split("\0").map((path) => join(folders.project, path));
  return listHidden(options).flatMap(({ folder, tracked }) => {
    const names = paths.flatMap((path) =>
      path.startsWith(folder + sep) ? [path.slice(folder.length + 1)] : [],
    );
    const count = names.filter((name) => tracked.test(name)).length;
    if (count === 0) return [];
    const what = `git tracks ${count} ${count === 1 ? "file" : "files"} here, so a commit includes what Strata writes to them`;
    return [{ path: folder, what, todo: formatChoice("untrack them with git rm --cached", folder, options) }];
  });
}

function formatChoice(todo: string, folder: string, { folders }: OwnFlawsOptions): string {
  const mayBeChosen = [folders.toolResults, folders.sessionMemory, folders.memory].includes(folder);
  if (!mayBeChosen) return todo;
  return `${todo}, or, to commit them on purpose, add ${folder} to committedFolders in your global configuration`;
}
