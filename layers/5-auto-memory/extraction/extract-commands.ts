/** Counts the commands of all sessions, and remembers those by which things are done here. */
import { join } from "node:path";
import { formatError } from "../../../src/error.js";
import type { Gate } from "../../../src/gate/gate.js";
import type { LayerContext } from "../../../src/layer-context.js";
import type { MemoryDraft } from "../../../src/memory/memory.js";
import { findLaterVersion, formatLater } from "../../../src/record/version.js";
import { isRecord } from "../../../src/records.js";
import { redactSecrets } from "../../../src/secrets/secrets.js";
import { toCode } from "../../../src/text.js";
import {
  type CommandCount,
  type CommandCounts,
  countCommands,
  findRepeated,
  markKept,
  type RanCommand,
  simplifyCommand,
} from "../signals/repeated-commands.js";

export interface CommandWatch {
  /** Rejects with the system's error. */
  count(sessionID: string, ran: readonly RanCommand[]): Promise<void>;
}

const LAYER = "auto-memory";

export function createCommandWatch(
  context: Pick<LayerContext, "clock" | "files" | "folders" | "log"> & { gate: Gate },
): CommandWatch {
  const { clock, files, folders, gate, log } = context;
  const path = join(folders.extraction, "commands.json");
  let isLaterTold = false;

  return {
    async count(sessionID, ran) {
      // What stands in memory is free of secrets, so what is counted for it is as well.
      const clean = ran.filter(
        ({ command }) => simplifyCommand(command) !== undefined && redactSecrets(command).found.length === 0,
      );
      if (clean.length === 0) return;
      const known = await read();
      if (!known) return;
      const counts = countCommands(known, sessionID, clean);
      const repeated = findRepeated(counts);
      for (const command of repeated) {
        const cause = { operation: "extract", session: sessionID, reason: "run again and again" };
        await gate.save(draftOf(command, counts[command], sessionID), clock.now(), cause);
      }
      await files.writeWhole(path, JSON.stringify({ v: 1, counts: markKept(counts, repeated) }));
    },
  };

  /** `undefined` for what a later Strata has counted, and counts. */
  async function read(): Promise<CommandCounts | undefined> {
    try {
      const contents = await files.read(path);
      const value: unknown = contents && JSON.parse(new TextDecoder().decode(contents));
      const version = findLaterVersion(value);
      if (version !== undefined) {
        if (!isLaterTold) log.warn(LAYER, formatLater(path, version));
        isLaterTold = true;
        return undefined;
      }
      if (!isRecord(value) || value.v !== 1 || !isRecord(value.counts)) return {};
      const counts = Object.entries(value.counts).filter(([, count]) => isCount(count));
      return Object.fromEntries(counts) as CommandCounts;
    } catch (thrown) {
      log.warn(LAYER, `${path} cannot be read, commands are counted anew: ${formatError(thrown)}`);
      return {};
    }
  }
}

function isCount(value: unknown): value is CommandCount {
  if (!isRecord(value)) return false;
  const { failures, lastMs, sessions, successes } = value;
  return [failures, lastMs, successes].every(Number.isFinite) && Array.isArray(sessions);
}

/** The command and how often it was run. Nobody has said that it is wanted. */
function draftOf(command: string, count: CommandCount | undefined, sessionID: string): MemoryDraft {
  const { failures = 0, sessions = [], successes = 0 } = count ?? {};
  const runs = `${successes} of ${successes + failures} runs succeeded`;
  return {
    type: "procedure",
    title: command,
    content: `${toCode(command, 200)}: ${runs}, in at least ${sessions.length} ${sessions.length === 1 ? "session" : "sessions"}`,
    when: [command.split(" ").slice(0, 2).join(" ")],
    provenance: { by: "agent", session: sessionID, how: "counted" },
  };
}
