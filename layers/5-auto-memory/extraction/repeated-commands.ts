/**
 * Commands that are run again and again with success: how things are done here, though nobody has said so. Counted over
 * the sessions of a project. Pure.
 */

export interface RanCommand {
  command: string;
  atMs: number;
  hasSucceeded: boolean;
}

export interface CommandCount {
  /** The sessions it succeeded in; no more than are needed. */
  sessions: readonly string[];
  successes: number;
  failures: number;
  lastMs: number;
  /** A memory was made of it; none is made again, also when somebody has thrown that one away. */
  isKept?: true;
}

export type CommandCounts = Readonly<Record<string, CommandCount>>;

const SESSIONS = 3;
const SUCCESSES = 10;
/** Of all runs; what fails as often is no way to do something. */
const LEAST_SUCCESS = 0.7;
const LONGEST = 160;
/** With what is done around it; a longer one is a script. */
const LONGEST_WRITTEN = 1_000;
/** The longest unused go first. */
const MOST_COMMANDS = 300;

/** Looking around, moving files, and what is in everybody's fingers: nothing to remember. */
const TRIVIAL =
  /^(ls|ll|cat|cd|pwd|echo|printf|grep|rg|ag|find|fd|head|tail|less|more|sed|awk|wc|sort|uniq|cut|which|type|whoami|mkdir|rm|rmdir|cp|mv|touch|ln|chmod|sleep|ps|kill|pkill|true|false|test|\[|date|env|export|set|source|history|man|tree|stat|file|du|df|diff|xxd|jq|python3? -c|node -e|git (status|diff|log|show|add|branch|stash|commit|checkout|switch|pull|push|fetch|rev-parse|blame|restore|reset|rm|mv|merge|rebase|config|remote|ls-files|grep|tag|cherry-pick))\b/;

const NEVER_RUN: CommandCount = { failures: 0, sessions: [], successes: 0, lastMs: 0 };

/** The counts with what a session has run. */
export function countCommands(
  counts: CommandCounts,
  sessionID: string,
  ran: readonly RanCommand[],
): CommandCounts {
  const next: Record<string, CommandCount> = { ...counts };
  for (const { atMs, command, hasSucceeded } of ran) {
    const plain = simplifyCommand(command);
    if (plain === undefined) continue;
    const known = Object.hasOwn(next, plain) ? next[plain] : undefined;
    const { failures, sessions, successes, ...rest } = known ?? NEVER_RUN;
    const isCounted = !hasSucceeded || sessions.includes(sessionID) || sessions.length === SESSIONS;
    next[plain] = {
      ...rest,
      sessions: isCounted ? sessions : [...sessions, sessionID],
      successes: successes + (hasSucceeded ? 1 : 0),
      failures: failures + (hasSucceeded ? 0 : 1),
      lastMs: atMs,
    };
  }
  return keepNewest(next);
}

/** Those that have become a procedure and are not kept yet. */
export function findRepeated(counts: CommandCounts): string[] {
  return Object.entries(counts)
    .filter(([, { failures, isKept, sessions, successes }]) => {
      const isOften = sessions.length >= SESSIONS || successes >= SUCCESSES;
      return !isKept && isOften && successes / (successes + failures) >= LEAST_SUCCESS;
    })
    .map(([command]) => command);
}

/** The counts with these marked as kept. */
export function markKept(counts: CommandCounts, commands: readonly string[]): CommandCounts {
  const kept = new Set(commands);
  return Object.fromEntries(
    Object.entries(counts).map(([command, count]) => [
      command,
      kept.has(command) ? { ...count, isKept: true as const } : count,
    ]),
  );
}

/** The command without what is done around it: `cd x && npm test 2>&1 | tail -5` is `npm test`. */
export function simplifyCommand(command: string): string | undefined {
  if (command.length > LONGEST_WRITTEN || /\n|<<|\$\(/.test(command)) return undefined;
  const bare = command
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(cd \S+|export \S+|source \S+) ?(&&|;) ?/, "")
    .replace(/( ?2>&1| ?\| ?(tail|head|grep|cat|less|tee)\b[^|]*)+$/, "")
    .trim();
  return bare !== "" && bare.length <= LONGEST && !TRIVIAL.test(bare) ? bare : undefined;
}

function keepNewest(counts: CommandCounts): CommandCounts {
  const entries = Object.entries(counts);
  if (entries.length <= MOST_COMMANDS) return counts;
  const newest = entries.sort(([, a], [, b]) => b.lastMs - a.lastMs).slice(0, MOST_COMMANDS);
  return Object.fromEntries(newest);
}
