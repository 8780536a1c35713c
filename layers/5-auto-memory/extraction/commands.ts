/**
 * Commands that are run again and again with success: how things are done here, though nobody has said so. Counted over
 * the sessions of a project; once one has become usual it is a procedure.
 */
import { join } from "node:path";
import { anyList, each, finite, isRecord, object } from "../../../src/base/shape.js";
import { toCode } from "../../../src/base/text.js";
import { isToolPart, type Message } from "../../../src/io/message.js";
import { createStateFile, formatState } from "../../../src/io/state-file.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import type { MemoryDraft } from "../../../src/memory/memory.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";

export interface RanCommand {
  command: string;
  atMs: number;
  hasSucceeded: boolean;
}

interface CommandCount {
  /** The sessions it succeeded in; no more than are needed. */
  sessions: readonly string[];
  successes: number;
  failures: number;
  lastMs: number;
  /** A memory was made of it; none is made again, also when somebody has thrown that one away. */
  isKept?: true;
}

const SESSIONS = 3;
const SUCCESSES = 10;
/** Of all runs; what fails as often is no way to do something. */
const LEAST_SUCCESS = 0.7;
/** The longest unused go first. */
const MOST_COMMANDS = 300;

/** Counts what a session has run, and remembers what has become usual. Rejects with the system's error. */
export type CountCommands = (sessionID: string, ran: readonly RanCommand[]) => Promise<void>;

export function createCountCommands(
  context: Pick<LayerContext, "clock" | "files" | "folders" | "log"> & { gate: Gate },
): CountCommands {
  const { clock, files, folders, gate, log } = context;
  const path = join(folders.extraction, "commands.json");
  const stored = createStateFile<ReadonlyMap<string, CommandCount>>({
    files,
    parse: parseCounts,
    format: (counts) => formatState({ counts: Object.fromEntries(counts) }),
    fresh: new Map(),
    complain: { log, source: "auto-memory", anew: "commands are counted anew" },
  });

  return async (sessionID, ran) => {
    // What stands in memory is free of secrets, so what is counted for it is as well.
    const clean = ran.flatMap((one) => {
      const command = simplifyCommand(one.command);
      return command === undefined || redactSecrets(one.command).found.length > 0
        ? []
        : [{ ...one, command }];
    });
    if (clean.length === 0) return;
    const counts = new Map(await stored.read(path));
    for (const one of clean) counts.set(one.command, countRun(counts.get(one.command), sessionID, one));
    for (const [command, count] of counts) {
      if (!isUsual(count)) continue;
      const cause = { operation: "extract", session: sessionID, reason: "run again and again" };
      await gate.save(planProcedure(command, count, sessionID), clock.now(), cause);
      counts.set(command, { ...count, isKept: true });
    }
    const newest = [...counts].sort(([, a], [, b]) => b.lastMs - a.lastMs).slice(0, MOST_COMMANDS);
    await stored.write(path, new Map(newest));
  };
}

function countRun(
  known: CommandCount = { failures: 0, sessions: [], successes: 0, lastMs: 0 },
  sessionID: string,
  { atMs, hasSucceeded }: RanCommand,
): CommandCount {
  const { failures, sessions, successes } = known;
  const isCounted = !hasSucceeded || sessions.includes(sessionID) || sessions.length === SESSIONS;
  return {
    ...known,
    sessions: isCounted ? sessions : [...sessions, sessionID],
    successes: successes + (hasSucceeded ? 1 : 0),
    failures: failures + (hasSucceeded ? 0 : 1),
    lastMs: atMs,
  };
}

function isUsual({ failures, isKept, sessions, successes }: CommandCount): boolean {
  const isOften = sessions.length >= SESSIONS || successes >= SUCCESSES;
  return !isKept && isOften && successes / (successes + failures) >= LEAST_SUCCESS;
}

const isCount = object<CommandCount>({
  ...each(finite, "failures", "lastMs", "successes"),
  sessions: anyList,
});

function parseCounts(text: string): ReadonlyMap<string, CommandCount> {
  const value: unknown = JSON.parse(text);
  const counts = isRecord(value) && value.v === 1 && isRecord(value.counts) ? value.counts : {};
  return new Map(Object.entries(counts).filter((one): one is [string, CommandCount] => isCount(one[1])));
}

/** The command and how often it was run. Nobody has said that it is wanted. */
function planProcedure(command: string, count: CommandCount, sessionID: string): MemoryDraft {
  const { failures, sessions, successes } = count;
  const runs = `${successes} of ${successes + failures} runs succeeded`;
  return {
    type: "procedure",
    title: command,
    content: `${toCode(command, 200)}: ${runs}, in at least ${sessions.length} ${sessions.length === 1 ? "session" : "sessions"}`,
    when: [command.split(" ").slice(0, 2).join(" ")],
    provenance: { by: "agent", session: sessionID, how: "counted" },
  };
}

/** Shell commands that have ended, with how. */
export function readCommands({ parts }: Message): RanCommand[] {
  return parts.flatMap((part) => {
    if (!isToolPart(part) || part.tool !== "bash") return [];
    const { input, metadata, status, time } = part.state ?? {};
    const command: unknown = input?.command;
    const hasSucceeded = status === "completed" && metadata?.exit === 0;
    return typeof command === "string" && time?.end !== undefined
      ? [{ command, atMs: time.end, hasSucceeded }]
      : [];
  });
}

const LONGEST = 160;
/** With what is done around it; a longer one is a script. */
const LONGEST_WRITTEN = 1_000;

/** Looking around, moving files, and what is in everybody's fingers: nothing to remember. */
const TRIVIAL =
  /^(ls|ll|cat|cd|pwd|echo|printf|grep|rg|ag|find|fd|head|tail|less|more|sed|awk|wc|sort|uniq|cut|which|type|whoami|mkdir|rm|rmdir|cp|mv|touch|ln|chmod|sleep|ps|kill|pkill|true|false|test|\[|date|env|export|set|source|history|man|tree|stat|file|du|df|diff|xxd|jq|python3? -c|node -e|git (status|diff|log|show|add|branch|stash|commit|checkout|switch|pull|push|fetch|rev-parse|blame|restore|reset|rm|mv|merge|rebase|config|remote|ls-files|grep|tag|cherry-pick))\b/;

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
