import type { SlashCommand } from "../../../src/kernel/layer.js";
import type { AgendaAnswerOptions } from "./format-agenda.js";

/** For the first read of many sessions' notes. */
const DEADLINE_MS = 15_000;

/** `/agenda`: open work in all sessions and instances; `claim` and `release` take an id. */
export function createAgendaCommand(options: AgendaAnswerOptions): SlashCommand {
  return {
    name: "agenda",
    description: "Strata: open work in all sessions; claim or release an item by its id",
    deadlineMs: DEADLINE_MS,
    execute: async (call) => (await import("./format-agenda.js")).answerAgenda(options, call),
  };
}
