/** The triggers of a rule: words and globs by which a command or path is known at which it matters. Pure. */
import { languageOf } from "../../../src/text/language/languages.js";
import { cut } from "../../../src/text/text.js";

/** Tools that are called by their names, whatever language is spoken about them. */
const COMMANDS =
  /(?<![\w/.-])(git (?:push|commit|rebase|merge|pull|checkout|reset|stash|tag|clean)|(?:npm|pnpm|yarn|bun) (?:run )?[a-z][\w:-]*|npx|npm|pnpm|yarn|docker(?: compose)?|kubectl|helm|terraform|ansible|cargo|pytest|pip|uv|gradle|mvn|psql|mysql|redis-cli|prisma|alembic|eslint|prettier|biome|ruff|jest|vitest|playwright|cypress|ssh|scp|rsync|curl|rm -rf|sudo)(?![\w/-])/g;
/** Words of a language too; a command where somebody runs it or it stands in code: "run make dev", "make sure". */
const NAMED_LIKE_WORDS =
  /(?<=\b(?:run|runs|running|with|use|using|via|execute|call|by|through) |[`$] ?|\p{Script=Han} ?)((?:make|black|poetry|brew|apt)(?: (?!(?:sure|it|the|an?|that|this|them|some|any|no|code|changes?|use|sense)\b)[a-z][\w:-]*)?)(?![\w/-])/gu;
/** `src/api`, `*.test.ts`, `.env`, `Makefile` */
const PATHS =
  /(?<![\w@:/.])((?:[\w*.-]{1,80}\/)+[\w*.-]*|\*\.[\w*.]+|\.env[\w.*]*|[\w-]{1,80}\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|rb|php|cs|cpp|h|sql|prisma|proto|ya?ml|toml|json|lock|md|css|scss|html|vue|svelte|sh|tf)|Dockerfile|Makefile)(?![\w/])/g;
/** Of two words with a slash between them only these are a path; others are a choice: "light/dark", "and/or". */
const FOLDER_NAMES =
  /^(?:src|lib|libs|apps?|tests?|specs?|docs?|packages?|scripts?|configs?|public|static|assets|components?|pages|api|server|client|backend|frontend|dist|build|bin|vendor|internal|cmd|pkg|migrations?|db|data|database|layers|modules?|services?|utils?|helpers?|hooks|types|styles|templates?|views?|models?|controllers?|routes?|middleware|resources|examples?|tools|infra|deploy|legacy|generated|node_modules|locales?|i18n|\.[\w.-]+)$/i;

/** "the vendor directory" */
const FOLDERS =
  /(?<![\w/.-])(?!(?:this|that|the|an?|same|current|root|home|project|working|new|old|own|each|every|any|all|parent|wrong|right|whole|other|your|my|our|its|which|one|temporary|source|build|output|target|data)\b)([\w.-]+) (?:folder|directory|dir)\b/gi;
/** In characters; longer pieces of code are not commands. */
const LONGEST_COMMAND = 60;
const MOST = 8;
/** Maximum length of a memory, in characters. */
const LOOKED_AT = 8_000;

/** Commands and paths that the rule names, in code or plain text, or describes. */
export function findWhen(text: string): string[] {
  const rule = cut(text, LOOKED_AT);
  const all = (pattern: RegExp): string[] => [...rule.matchAll(pattern)].map((match) => match[1] ?? "");
  const code = all(/`([^`\n]+)`/g)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length <= LONGEST_COMMAND && /[a-z]{2}/i.test(piece));
  const named = [...all(COMMANDS), ...all(NAMED_LIKE_WORDS)];
  const folders = all(FOLDERS).map((name) => `${name}/`);
  const paths = [
    ...all(PATHS)
      .filter(isPath)
      .map((path) => path.replace(/\.$/, "")),
    ...folders,
  ];
  const { triggers } = languageOf(rule);
  const meant = triggers.filter(({ pattern }) => pattern.test(rule)).flatMap(({ when }) => when);
  const found = [...code, ...named, ...paths.filter((path) => /\w/.test(path)), ...meant];
  return [...new Set(found)].slice(0, MOST);
}

/** With an ending, a star, a third part, a slash at an end, or a folder's usual name. */
function isPath(path: string): boolean {
  if (!path.includes("/")) return true;
  const parts = path
    .replace(/\.$/, "")
    .split("/")
    .filter((part) => part !== "");
  if (parts.length === 1) return path.endsWith("/") && !/^[A-Z]/.test(path);
  const isFile = /\.[a-z]\w{0,4}$/i.test(parts.at(-1) ?? "");
  return (
    isFile ||
    path.includes("*") ||
    path.startsWith("/") ||
    path.startsWith("~") ||
    FOLDER_NAMES.test(parts[0] ?? "") ||
    (parts.length > 2 && !/^\d+$/.test(parts.join("")))
  );
}
