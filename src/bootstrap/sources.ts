/** Files that state facts and rules, and their readers. Readers are loaded when a file needs them. */
import type { Reader } from "./fact.js";

export interface SourceKind {
  /** Matches the path relative to the searched folder, with `/`. */
  pattern: RegExp;
  load(): Promise<Reader>;
  maxBytes?: number;
  /** Rules for another agent: skipped if OpenCode sends the file itself. */
  isRules?: true;
}

/** Larger manifests are not written for people. */
export const MOST_BYTES = 512 * 1024;
/** Enough for lock files of large projects. */
const MOST_LOCK_BYTES = 24 * 1024 * 1024;

/** Folders whose files have a kind below, at any depth. */
export const sourceFolders: readonly string[] = [".github", ".cursor/rules", ".windsurf/rules", ".circleci"];

const json = () => import("./readers/json.js");
const lines = () => import("./readers/lines.js");
const toml = () => import("./readers/toml.js");
const ci = () => import("./readers/ci.js");
const rules = async () => (await import("./readers/rules.js")).readRules;
const lockOf = (manager: string) => async () => (await lines()).readLockOf(manager);

export const sourceKinds: readonly SourceKind[] = [
  { pattern: /^package\.json$/, load: async () => (await json()).readPackageJson },
  {
    pattern: /^(package-lock|npm-shrinkwrap)\.json$/,
    load: async () => (await json()).readPackageLock,
    maxBytes: MOST_LOCK_BYTES,
  },
  { pattern: /^deno\.jsonc?$/, load: async () => (await json()).readDeno },
  { pattern: /^composer\.json$/, load: async () => (await json()).readComposer },
  { pattern: /^tsconfig\.json$/, load: async () => (await json()).readTsconfig },
  { pattern: /^pyproject\.toml$/, load: async () => (await toml()).readPyproject },
  { pattern: /^Cargo\.toml$/, load: async () => (await toml()).readCargo },
  {
    pattern: /^(Cargo|uv)\.lock$/,
    load: async () => (await toml()).readTomlLock,
    maxBytes: MOST_LOCK_BYTES,
  },
  { pattern: /^go\.mod$/, load: async () => (await lines()).readGoMod },
  { pattern: /^Gemfile$/, load: async () => (await lines()).readGemfile },
  { pattern: /^CMakeLists\.txt$/, load: async () => (await lines()).readCMake },
  { pattern: /^(GNU)?[Mm]akefile$/, load: async () => (await lines()).readMakefile },
  { pattern: /^\.?[Jj]ustfile$/, load: async () => (await lines()).readJustfile },
  {
    pattern: /^\.(nvmrc|node-version|python-version|ruby-version|tool-versions)$/,
    load: async () => (await lines()).readVersion,
  },
  ...[
    ["pnpm-lock.yaml", "pnpm"],
    ["yarn.lock", "Yarn"],
    ["bun.lock", "Bun"],
    ["poetry.lock", "Poetry"],
    ["Gemfile.lock", "Bundler"],
    ["composer.lock", "Composer"],
  ].map(([name = "", manager = ""]) => ({
    pattern: new RegExp(`^${name.replaceAll(".", "\\.")}$`),
    load: lockOf(manager),
    maxBytes: MOST_LOCK_BYTES,
  })),
  { pattern: /^\.github\/workflows\/[^/]+\.ya?ml$/, load: async () => (await ci()).readWorkflow },
  { pattern: /^\.gitlab-ci\.yml$/, load: async () => (await ci()).readGitlab },
  { pattern: /^\.travis\.yml$/, load: async () => (await ci()).readTravis },
  { pattern: /^\.circleci\/config\.ya?ml$/, load: async () => (await ci()).readCircle },
  {
    pattern: /^readme(\.md|\.markdown)?$/i,
    load: async () => (await import("./readers/readme.js")).readReadme,
  },
  { pattern: /^CLAUDE(\.local)?\.md$/, load: rules, isRules: true },
  { pattern: /^\.cursorrules$/, load: rules, isRules: true },
  { pattern: /^\.cursor\/rules\/.+\.mdc?$/, load: rules, isRules: true },
  { pattern: /^\.windsurfrules$/, load: rules, isRules: true },
  { pattern: /^\.windsurf\/rules\/.+\.md$/, load: rules, isRules: true },
  { pattern: /^\.github\/copilot-instructions\.md$/, load: rules, isRules: true },
  { pattern: /^\.github\/instructions\/.+\.instructions\.md$/, load: rules, isRules: true },
];

/** The kind of the file at this path, relative to the searched folder. */
export const findKind = (path: string): SourceKind | undefined =>
  sourceKinds.find(({ pattern }) => pattern.test(path));
