import { cut } from "../../../src/base/text.js";
import { languageOf } from "../../../src/text/language.js";

/** In brackets; the last one may be cut. */
const ASIDE = /\s?[(（][^()（）]{0,300}[)）]/gu;
const OPEN_ASIDE = /\s?[(（][^()（）]*$/u;

export const dropAsides = (text: string): string => text.replace(ASIDE, "").replace(OPEN_ASIDE, "");

/** What fits on a line of the list of memories. */
const SHORT = 64;
/** Where no clause ends earlier; what a memory's file takes is a little more. */
const LONGEST = 110;
/** What stands behind so much is in no title. */
const MOST_OF_SENTENCE = 600;
/** Where a sentence can end early; what stands before a conjunction is less whole than what a comma ends. */
const CLAUSE =
  /^.{20,}(?=[,;，；](?:\s|$|\p{Script=Han})| [—–-] | ?—| because | since | so that |因为|由于)/u;
const CONJUNCTION = /^.{20,}(?= (?:until|unless|before|after|when|whenever|if|while|which|where|but|so) )/iu;
/** Where a sentence without such an end can be cut: what is left is still a statement. */
const PHRASE =
  /^.{20,}(?=[:：]\s| (?:and|or|that|with|without|during|for|from|to|in|on|by|as|e|y|и|et|und|che|que|что|dass) )/iu;
const CLOSING = /[\s.…。!！;；,，:：、]+$/u;
/** Marks of a list, a heading or a quotation, and other signs that are no words. */
const LEADING =
  /^(?:[\s\-–—*#>•·~|=…]|\.{2,}|\[[ xX]\]\s|\d{1,3}[.)、](?=[\s\p{Script=Han}])|\p{Extended_Pictographic}|\ufe0f)*/u;
/** A sentence that begins with its verb has lost its subject. */
const VERB_FIRST =
  /^(?:is|are|was|were|has|have|had|does|do not|don't|must|should|shall|can|cannot|can't|may|will|would|isn't|aren't|doesn't)\b/i;

/** A short title for a sentence: a whole clause of its words, without those that only open it. */
export function formatTitle(sentence: string): string {
  const looked = cut(sentence, MOST_OF_SENTENCE);
  const whole = (looked.replace(LEADING, "") || looked).replace(CLOSING, "");
  const bare = whole.replace(languageOf(whole).opening, "").replace(LEADING, "");
  const isWhole = /\p{L}/u.test(bare) && !(bare !== whole && VERB_FIRST.test(bare));
  const line = shorten(isWhole ? bare : whole);
  return line.charAt(0).toUpperCase() + line.slice(1);
}

/** To the end of the longest clause that is short, else of one that is not too long, else of a word. */
function shorten(whole: string): string {
  if (whole.length <= SHORT) return whole;
  const line = clean(dropAsides(whole)) || whole;
  if (line.length <= SHORT) return line;
  const clause = longestWithin(line, CLAUSE) ?? longestWithin(line, CONJUNCTION);
  if (clause !== undefined) return clean(clause);
  if (line.length <= LONGEST) return line;
  const head = cut(line, LONGEST);
  const endings = [CLAUSE, CONJUNCTION, PHRASE, /^.{20,}(?=\s)/u];
  return clean(endings.map((one) => one.exec(head)?.[0]).find((one) => one !== undefined) ?? head);
}

function longestWithin(line: string, ending: RegExp): string | undefined {
  return ending.exec(cut(line, SHORT + 1))?.[0];
}

const clean = (piece: string): string => piece.replace(/[\s,;:，；：、—–(（-]+$/u, "");

/* The triggers of a rule: words and globs by which a command or path is known at which it matters. Pure. */

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

const FOLDERS =
  /(?<![\w/.-])(?!(?:this|that|the|an?|same|current|root|home|project|working|new|old|own|each|every|any|all|parent|wrong|right|whole|other|your|my|our|its|which|one|temporary|source|build|output|target|data)\b)([\w.-]+) (?:folder|directory|dir)\b/gi;
/** In characters; longer pieces of code are not commands. */
const LONGEST_COMMAND = 60;
const MOST = 8;
const MOST_OF_RULE = 8_000;

/** Commands and paths that the rule names, in code or plain text, or describes. */
export function findWhen(text: string): string[] {
  const rule = cut(text, MOST_OF_RULE);
  const all = (pattern: RegExp): string[] => [...rule.matchAll(pattern)].map((match) => match[1] ?? "");
  const code = all(/`([^`\n]+)`/g)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length <= LONGEST_COMMAND && /[a-z]{2}/i.test(piece));
  const named = [...all(COMMANDS), ...all(NAMED_LIKE_WORDS)];
  const folders = all(FOLDERS).map((name) => `${name}/`);
  const paths = all(PATHS)
    .filter(isPath)
    .map((path) => path.replace(/\.$/, ""));
  const { triggers } = languageOf(rule);
  const meant = triggers.filter(({ pattern }) => pattern.test(rule)).flatMap(({ when }) => when);
  const found = [...code, ...named, ...[...paths, ...folders].filter((path) => /\w/.test(path)), ...meant];
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
  const isDeep = parts.length > 2 && !/^\d+$/.test(parts.join(""));
  return isFile || isDeep || /^[/~]|\*/.test(path) || FOLDER_NAMES.test(parts[0] ?? "");
}
