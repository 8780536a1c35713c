/** Prompts for the user; many clients show them as commands. */
import { formatAnswer } from "../../layers/5-auto-memory/tools/format-hits.js";
import { formatBoot } from "./boot.js";
import type { ClientContext } from "./client-context.js";
import { findHits, formatHits } from "./find-hits.js";
import { refuse } from "./tool.js";

const MOST_TOPIC = 1_000;

export const prompts = [
  { name: "boot_context", description: "What is remembered about this project" },
  {
    name: "recall",
    description: "What is remembered about a topic",
    arguments: [{ name: "topic", description: "What to look for", required: true }],
  },
  { name: "log_session", description: "Has the agent store what this session decided and learned" },
];

const LOG_SESSION =
  "Store what will matter in later sessions. Call remember once for each decision (with its reason), blocker and fact found the hard way in this session that code and git do not show, then log_session with two or three sentences on what was done. Leave out the task itself and its state.";

/** @throws StrataError for an unknown prompt, or one without its argument */
export async function readPrompt(
  client: ClientContext,
  name: string,
  args: Readonly<Record<string, string>> = {},
) {
  const text = await read(client, name, args);
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}

async function read(
  client: ClientContext,
  name: string,
  { topic = "" }: Readonly<Record<string, string>>,
): Promise<string> {
  if (name === "boot_context") return formatBoot(client);
  if (name === "log_session") return LOG_SESSION;
  if (name !== "recall")
    throw refuse(`There is no prompt ${name}; prompts are ${prompts.map((one) => one.name).join(", ")}.`);
  const text = topic.trim();
  if (text === "" || text.length > MOST_TOPIC)
    throw refuse(`Expected a topic of 1 to ${MOST_TOPIC} characters, ${text.length} came.`);
  return formatAnswer(await formatHits(client, await findHits(client, { text })));
}
