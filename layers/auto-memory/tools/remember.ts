/**
 * `memory_remember`: the agent writes one fact down.
 *
 * A directive, preference, feedback or pattern is the user's word. What an agent hands over as one is kept only if the
 * user's own messages of this session say it; the sentence is kept as evidence. Everything else is refused, and the
 * agent may keep it as `knowledge`, which is no rule. In a subagent's session nobody but another agent speaks.
 */
import * as z from "zod";
import { StrataError } from "../../../src/error.js";
import { type MemoryDraft, memoryTypes, usersTypes } from "../../../src/memory/memory.js";
import { findEntities } from "../../../src/recall/entities.js";
import { defineTool, type Tool } from "../../../src/tool.js";
import { findSaid } from "../said.js";
import { findWhen } from "../when.js";
import { formatWritten, type MemoryToolsContext, refuseUnsaid } from "./common.js";

const words = z.array(z.string().trim().min(1).max(120)).max(20).optional();

const parameters = z.object({
  content: z.string().trim().min(3).max(10_000).describe("One fact, with its reason"),
  type: z.enum(memoryTypes),
  title: z.string().trim().min(3).max(120).optional(),
  aliases: words.describe("other words to find it by"),
  tags: words,
  entities: words.describe("!12, #34, &5, paths"),
  importance: z.number().min(0).max(1).optional().describe("0 to 1"),
  sensitivity: z.enum(["internal", "private"]).optional().describe("private: not in git"),
  scope: z.enum(["project", "global"]).optional().describe("global: for all projects"),
  expires: z.string().optional().describe("ISO date"),
});
type Arguments = z.output<typeof parameters>;

export function createRememberTool(context: MemoryToolsContext): Tool {
  const { clock, gate, readUsersMessages } = context;
  return defineTool({
    name: "memory_remember",
    description:
      "Keep what a later session needs and the repository does not tell: a decision and why, a blocker, a lesson. directive, preference, feedback, pattern: only in the user's own words.",
    parameters,
    async execute(args, { messageID, sessionID }) {
      const expires = readExpiry(args.expires, clock.now());
      const said = findSaid(args.content, await readUsersMessages(sessionID));
      const isUsers = usersTypes.has(args.type);
      if (isUsers && !said) throw refuseUnsaid(args.type);
      const written = await gate.save(
        {
          ...planDraft(args),
          ...(expires !== undefined && { expires }),
          ...(isUsers && said && findTitle(args.title, said.evidence)),
          provenance: said
            ? {
                by: "user",
                session: sessionID,
                message: said.messageID,
                evidence: said.evidence,
                how: "tool",
              }
            : { by: "agent", session: sessionID, message: messageID, how: "tool" },
        },
        clock.now(),
        { operation: "remember", session: sessionID },
      );
      return formatWritten(context, written, written.kind === "unchanged" ? "Known already" : "Kept");
    },
  });
}

function planDraft({ entities = [], ...args }: Arguments): Omit<MemoryDraft, "provenance"> {
  const { aliases, content, importance, scope, sensitivity, tags, title, type } = args;
  const named = [...new Set([...entities, ...findEntities(content)])];
  return {
    type,
    content,
    entities: named,
    when: usersTypes.has(type) ? findWhen(content) : [],
    ...(title !== undefined && { title }),
    ...(aliases && { aliases }),
    ...(tags && { tags }),
    ...(importance !== undefined && { importance }),
    ...(sensitivity && { sensitivity }),
    ...(scope && { scope }),
  };
}

/** The title stands in the index like the content; one that says what the user did not is replaced by his words. */
function findTitle(title: string | undefined, evidence: string): { title?: string } {
  if (title === undefined || findSaid(title, [{ id: "", text: evidence }])) return {};
  return { title: evidence };
}

function readExpiry(given: string | undefined, nowMs: number): string | undefined {
  if (given === undefined) return undefined;
  const timeMs = Date.parse(given);
  if (Number.isNaN(timeMs) || timeMs <= nowMs)
    throw new StrataError(
      "EMEMORYEXPIRES",
      `expires: expected an ISO date in the future, came ${JSON.stringify(given)}. Nothing was kept.`,
    );
  return new Date(timeMs).toISOString();
}
