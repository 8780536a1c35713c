/** Counts the commands of all sessions, and remembers those by which things are done here. */
import { join } from "node:path";
import { isRecord } from "../../../src/base/records.js";
import { anyList, each, finite, object } from "../../../src/base/shape.js";
import { createStateFile, formatState } from "../../../src/io/state-file.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { Gate } from "../../../src/memory/gate/gate.js";
import type { MemoryDraft } from "../../../src/memory/memory.js";
import { redactSecrets } from "../../../src/text/secrets/secrets.js";
import { toCode } from "../../../src/text/text.js";
import {
  type CommandCount,
  type CommandCounts,
  countCommands,
  findRepeated,
  markKept,
  type RanCommand,
  simplifyCommand,
} from "./repeated-commands.js";

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
  const stored = createStateFile<CommandCounts>({
    files,
    parse: parseCounts,
    format: (counts) => formatState({ counts }),
    fresh: {},
    complain: { log, source: LAYER, anew: "commands are counted anew" },
  });

  return {
    async count(sessionID, ran) {
      // What stands in memory is free of secrets, so what is counted for it is as well.
      const clean = ran.filter(
        ({ command }) => simplifyCommand(command) !== undefined && redactSecrets(command).found.length === 0,
      );
      if (clean.length === 0) return;
      const known = await stored.read(path);
      const counts = countCommands(known, sessionID, clean);
      const repeated = findRepeated(counts);
      for (const command of repeated) {
        const cause = { operation: "extract", session: sessionID, reason: "run again and again" };
        await gate.save(draftOf(command, counts[command], sessionID), clock.now(), cause);
      }
      await stored.write(path, markKept(counts, repeated));
    },
  };
}

function parseCounts(text: string): CommandCounts {
  const value: unknown = JSON.parse(text);
  const counts = isRecord(value) && value.v === 1 && isRecord(value.counts) ? value.counts : {};
  return Object.fromEntries(
    Object.entries(counts).filter((one): one is [string, CommandCount] => isCount(one[1])),
  );
}

const isCount = object<CommandCount>({
  ...each(finite, "failures", "lastMs", "successes"),
  sessions: anyList,
});

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
