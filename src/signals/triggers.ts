import type { Language } from "./language.js";

/** Tools that are called by their names, whatever language is spoken about them. */
const COMMANDS =
  /(?<![\w/.-])(git (?:push|commit|rebase|merge|pull|checkout|reset|stash|tag|clean)|(?:npm|pnpm|yarn|bun) (?:run )?[a-z][\w:-]*|npx|npm|pnpm|yarn|docker(?: compose)?|kubectl|helm|terraform|ansible|make|cargo|pytest|poetry|pip|uv|gradle|mvn|psql|mysql|redis-cli|prisma|alembic|eslint|prettier|biome|ruff|black|jest|vitest|playwright|cypress|ssh|scp|rsync|curl|rm -rf|sudo|brew|apt)(?![\w/-])/g;
/** `src/api`, `*.test.ts`, `.env`, `Makefile` */
const PATHS =
  /(?<![\w@:/.])((?:[\w*.-]+\/)+[\w*.-]*|\*\.[\w*.]+|\.env[\w.*]*|[\w-]+\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|rb|php|cs|cpp|h|sql|prisma|proto|ya?ml|toml|json|lock|md|css|scss|html|vue|svelte|sh|tf)|Dockerfile|Makefile)(?![\w/])/g;
const MOST = 8;

/** Words and globs by which a command or path is known at which a sentence matters. */
export function findTriggers(sentence: string, { triggers }: Language): string[] {
  const named = [...sentence.matchAll(COMMANDS)].map((match) => match[1] ?? "");
  const paths = [...sentence.matchAll(PATHS)].map((match) => (match[1] ?? "").replace(/\.$/, ""));
  const meant = triggers.filter(({ pattern }) => pattern.test(sentence)).flatMap(({ when }) => when);
  return [...new Set([...named, ...paths.filter((path) => /\w/.test(path)), ...meant])].slice(0, MOST);
}
