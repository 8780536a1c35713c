/** Files that state facts and rules, and their readers. Readers are loaded when a file needs them. */
import type { Reader } from "./fact.js";

export interface SourceKind {
  /** Matches the path relative to the searched folder, with `/`. */
  pattern: RegExp;
  load(): Promise<Reader>;
  /** Rules for another agent: skipped if OpenCode sends the file itself. */
  isRules?: true;
}

/** Larger files are not written for people. */
export const MOST_BYTES = 512 * 1024;
/** Folders whose files have a kind below, at any depth. */
export const sourceFolders: readonly string[] = [".github", ".cursor/rules", ".windsurf/rules"];

const manifests = () => import("./readers/manifests.js");
const lines = () => import("./readers/lines.js");
const ci = () => import("./readers/ci.js");
const rules = async () => (await import("./readers/rules.js")).readRules;

const sourceKinds: readonly SourceKind[] = [
  { pattern: /^package\.json$/, load: async () => (await manifests()).readPackageJson },
  { pattern: /^pyproject\.toml$/, load: async () => (await manifests()).readPyproject },
  { pattern: /^Cargo\.toml$/, load: async () => (await manifests()).readCargo },
  { pattern: /^go\.mod$/, load: async () => (await lines()).readGoMod },
  { pattern: /^(GNU)?[Mm]akefile$/, load: async () => (await lines()).readMakefile },
  { pattern: /^\.github\/workflows\/[^/]+\.ya?ml$/, load: async () => (await ci()).readWorkflow },
  { pattern: /^\.gitlab-ci\.yml$/, load: async () => (await ci()).readGitlab },
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
