/** The memories for the next message: read and ranked in the background, with notices for the session. */
import { formatError } from "../../../src/base/error.js";
import { toLine, withoutMark } from "../../../src/base/text.js";
import { waitAtMost } from "../../../src/io/clock.js";
import { readText } from "../../../src/io/files.js";
import type { LayerContext } from "../../../src/kernel/layer-context.js";
import type { Memory } from "../../../src/memory/memory.js";
import { rankMemories } from "../../../src/memory/rank.js";
import {
  findHeld,
  formatSession,
  type Instance,
  type Lease,
  type LiveSession,
  PERSON,
  parseLeases,
} from "../../../src/project/instances.js";
import { LAYER } from "./boot.js";
import { type Conflicts, formatOpenConflicts } from "./conflicts.js";
import { findLineIDs, findTriggerRules, type TriggerRule } from "./line.js";

export type KnownMemories = ReturnType<typeof createKnownMemories>;

export interface KnownMemoriesOptions extends LayerContext {
  conflicts: Pick<Conflicts, "open" | "see">;
}

/** How long a message waits for changes on disk; then it uses the memories last read. */
const READ_WITHIN_MS = 30;
/** The first message waits longer: its block never changes, and the first read of a process also asks git about owners. */
export const FIRST_READ_MS = 500;
/** How long to wait for git, which is asked once for each change whether the user made it. */
const DECIDED_WITHIN_MS = 300;

export function createKnownMemories(options: KnownMemoriesOptions) {
  const { background, clock, conflicts, instances, log, memories } = options;
  let reading: Promise<unknown> | undefined;
  let latest: Awaited<ReturnType<typeof readLatest>> | undefined;
  let rules: readonly TriggerRule[] | undefined;
  memories.onChange(() => {
    rules = undefined;
  });

  return {
    /** Starts a read from disk unless one is running. Never rejects. */
    prepare(): void {
      reading ??= background.add(read).finally(() => {
        reading = undefined;
      });
    },

    /** Waits for the running read; the first message of a session waits longer than others. */
    async wait(isBeginning: boolean): Promise<void> {
      await waitAtMost(clock, !latest || isBeginning ? FIRST_READ_MS : READ_WITHIN_MS, () => reading);
      if (memories.isDeciding()) await waitAtMost(clock, DECIDED_WITHIN_MS, () => reading);
    },

    isRead: (): boolean => latest !== undefined,

    order: (): readonly Memory[] =>
      rankMemories(memories.known(), memories.useOf, clock.now()).flatMap((part) => part.memories),

    rules(): readonly TriggerRule[] {
      rules ??= findTriggerRules(memories.known());
      return rules;
    },

    /** What this session is shown besides the memories, as of the last read. */
    notices(sessionID: string) {
      const { active = [], conflicts, held = [] } = latest ?? {};
      const others = formatActive(active, { held, ownID: instances.ownID, sessionID });
      return { active: others, conflicts };
    },

    /** Notes that the agent has seen this text, so it may overwrite the memories in it. */
    noteShown(text: string): void {
      const ids = new Set(findLineIDs(text));
      conflicts.see(memories.known().filter(({ id }) => ids.has(id)));
    },
  };

  async function read(): Promise<void> {
    try {
      latest = await readLatest(options);
    } catch (thrown) {
      log.error(LAYER, `cannot read the memories: ${formatError(thrown)}`);
    }
  }
}

async function readLatest(options: KnownMemoriesOptions) {
  const { clock, config, conflicts, files, folders, instances, log, memories } = options;
  await memories.list();
  // What cannot be read of the others is no reason to show no memories.
  const none = (thrown: unknown): [] => {
    log.warn(LAYER, `cannot tell what other sessions do: ${formatError(thrown)}`);
    return [];
  };
  const isShown = config.boot.activeSessions;
  const active = isShown ? await instances.living().catch(none) : [];
  const living = new Set(active.map(({ id }) => id));
  /** Leases in force of these instances and of people. */
  const readHeld = async (): Promise<Lease[]> =>
    findHeld(parseLeases((await readText(files, folders.leases)) ?? ""), { living, nowMs: clock.now() });
  return {
    conflicts: formatOpenConflicts(await conflicts.open()),
    active,
    held: isShown ? await readHeld().catch(none) : [],
  };
}

/* Other sessions at work in the project, for the boot block. Pure. */

export type ActiveSessions = readonly Pick<Instance, "id" | "sessions">[];

const MOST_SESSIONS = 6;
const MOST_HELD = 3;
const LONGEST_ITEM = 80;

/**
 * Sessions of any instance that are busy or hold a lease, or else the last used one of each other instance, with
 * their leases. `held`: the leases in force.
 */
export function formatActive(
  instances: ActiveSessions,
  { held = [], ownID, sessionID }: { held?: readonly Lease[]; ownID: string; sessionID: string },
): string | undefined {
  const heldBy = (session: string): string => formatHeld(held.filter((lease) => lease.session === session));
  const found = instances.flatMap(({ id, sessions }) => {
    const open = sessions.filter((one) => one.parentID === undefined && one.id !== sessionID && hasGoal(one));
    const atWork = open.filter((one) => one.state === "busy" || heldBy(one.id) !== "");
    const shown = atWork.length > 0 || id === ownID ? atWork : open.slice(0, 1);
    return shown.map((session) => `- ${formatSession(session, id)}${heldBy(session.id)}`);
  });
  const persons = heldBy(PERSON);
  const lines = [...found.slice(0, MOST_SESSIONS), ...(persons === "" ? [] : [`- a person${persons}`])];
  if (lines.length === 0) return undefined;
  return withoutMark(["Other sessions here, and what they were last asked:", ...lines].join("\n"));
}

/** ", holds src/a.ts and 2 more"; empty without leases. */
function formatHeld(leases: readonly Lease[]): string {
  if (leases.length === 0) return "";
  const items = leases.slice(0, MOST_HELD).map(({ item }) => toLine(item, LONGEST_ITEM));
  const more = leases.length > MOST_HELD ? ` and ${leases.length - MOST_HELD} more` : "";
  return `, holds ${items.join(", ")}${more}`;
}

const hasGoal = ({ goal }: LiveSession): boolean => goal !== undefined;
