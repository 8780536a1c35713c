/**
 * Lets the host title a session whose first message was one of our slash commands. The host asks for a title in the
 * first turn, if there is exactly one user message. It also counts the answers we have shown, unless their parts are
 * synthetic; those it does not display (measured with OpenCode 1.18.33). So the parts are synthetic while it counts:
 *
 *     chat.message                   the first turn begins: mark the answers shown so far
 *     (host)                         counts user messages and asks for a title
 *     the request, or the turn's end   unmark them, so that they show again
 */
import type { PluginInput } from "@opencode-ai/plugin";
import type { Message as SdkMessage } from "@opencode-ai/sdk";
import { type Clock, waitAtMost } from "../../io/clock.js";
import { isForPeopleOnly, type Message } from "../../io/message.js";

export interface Titles {
  /** A turn begins with this message. Bounded; never rejects. */
  open(sessionID: string, messageID: string): Promise<void>;
  /** The host has counted, or the turn has ended. Returns at once. */
  close(sessionID: string): void;
}

/** The user waits for this once per session. */
const OPEN_WITHIN_MS = 1_000;
const SHOW_WITHIN_MS = 5_000;
const LAST_MESSAGES = 100;
/** The host's default title, as it writes and recognises it. */
export const NO_TITLE = /^(New session - |Child session - )\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const REMEMBERED = 500;

type StoredPart = Message["parts"][number];

export function createTitles(client: PluginInput["client"], clock: Clock): Titles {
  const begun = new Set<string>();
  const marked = new Map<string, readonly StoredPart[]>();

  return {
    async open(sessionID, messageID) {
      if (begun.has(sessionID)) return;
      begun.add(sessionID);
      if (begun.size > REMEMBERED) begun.delete(begun.values().next().value ?? "");
      await waitAtMost(clock, OPEN_WITHIN_MS, () => mark(sessionID, messageID));
    },

    close(sessionID) {
      const parts = marked.get(sessionID) ?? [];
      marked.delete(sessionID);
      for (const part of parts) void waitAtMost(clock, SHOW_WITHIN_MS, () => write(part, false));
    },
  };

  async function mark(sessionID: string, messageID: string): Promise<void> {
    const path = { id: sessionID };
    const { data: session } = await client.session.get({ path });
    if (!session || session.parentID !== undefined || !NO_TITLE.test(session.title)) return;
    const { data = [] } = await client.session.messages({ path, query: { limit: LAST_MESSAGES } });
    const messages = (data as readonly Message[]).filter(
      ({ info }) => info.role === "user" && info.id !== messageID,
    );
    // After an earlier turn the host has already asked for a title.
    if (!messages.every(isForPeopleOnly)) return;
    const parts = messages.flatMap((message) => message.parts);
    // Remembered before the first write, so that `close` unmarks them even if a write fails.
    marked.set(sessionID, parts);
    await Promise.all(parts.map((part) => write(part, true)));
  }

  /** The plugin client has no method for this route, so this uses its HTTP client. */
  async function write(part: StoredPart, synthetic: boolean): Promise<void> {
    const { _client: http } = client as unknown as { _client: { patch(options: object): Promise<unknown> } };
    const { id, messageID, sessionID } = part as StoredPart &
      Pick<SdkMessage, "id" | "sessionID"> & { messageID: string };
    await http.patch({
      url: "/session/{id}/message/{messageID}/part/{partID}",
      path: { id: sessionID, messageID, partID: id },
      body: { ...part, synthetic },
      headers: { "Content-Type": "application/json" },
    });
  }
}
