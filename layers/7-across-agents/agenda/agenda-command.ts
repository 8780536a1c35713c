import type { SlashCommand } from "../../../src/dispatcher/slash-command.js";
import type { AgendaAnswerOptions } from "./answer-agenda.js";

/** The first reading of the notes of many sessions. */
const DEADLINE_MS = 15_000;

/** `/agenda`: what is open here, over all sessions and instances; `claim` and `release` with an id. */
export function createAgendaCommand(options: AgendaAnswerOptions): SlashCommand {
  return {
    name: "agenda",
    description: "Strata: what is open in all sessions; claim or release an item by its id",
    deadlineMs: DEADLINE_MS,
    execute: async (call) => (await import("./answer-agenda.js")).answerAgenda(options, call),
  };
}
