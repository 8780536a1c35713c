/**
 * Lets the host give a session its title where a slash command of ours came first. The host makes one with the first
 * turn, while there is but one message of the user's, and takes an answer that we have shown for another one, unless
 * its parts are marked as synthetic; those it does not show (measured with OpenCode 1.18.33). So they are marked for the
 * moment in which it counts:
 *
 *     chat.message                   the first turn begins: the answers shown so far are marked
 *     the host counts, and asks for a title
 *     the request, or the turn's end   they are shown again
 */
import type { PluginInput } from "@opencode-ai/plugin";
import type { Message as SdkMessage } from "@opencode-ai/sdk";
import { isForPeopleOnly, type Message } from "../conversation/message.js";
import { type Clock, waitAtMost } from "../seams/clock.js";

export interface Titles {
  /** A turn begins with this message. Bounded, never rejects. */
  open(sessionID: string, messageID: string): Promise<void>;
  /** The host has counted, or the turn is over. Returns at once. */
  close(sessionID: string): void;
}

/** A user waits for it, once a session. */
const OPEN_WITHIN_MS = 1_000;
const SHOW_WITHIN_MS = 5_000;
const LAST_MESSAGES = 100;
/** The title of a session that has none, as the host writes and looks for it. */
const NO_TITLE = /^(New session - |Child session - )\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
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
    // With a turn of the user's the host has had its chance.
    if (!messages.every(isForPeopleOnly)) return;
    const parts = messages.flatMap((message) => message.parts);
    // Known before the first is written: whatever becomes of the rest, they are shown again.
    marked.set(sessionID, parts);
    await Promise.all(parts.map((part) => write(part, true)));
  }

  /** The client of the plugin interface has no method for it; its request goes the way of the others. */
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
