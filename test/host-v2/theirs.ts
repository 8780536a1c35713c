/** Messages of OpenCode 2 as the contract has them, made by hand or at random. */

import { isRecord } from "../../src/base/shape.js";
import type {
  StoredMessage,
  StoredPart,
  TheirMessage,
  TheirPart,
  TheirResult,
} from "../../src/host/2/contract.js";
import { fc } from "../support/property.js";

/** The host's own class of messages. */
export class HostMessage implements TheirMessage {
  declare readonly id?: string;
  declare readonly role: TheirMessage["role"];
  declare readonly content: readonly TheirPart[];
  constructor(fields: TheirMessage) {
    Object.assign(this, fields);
  }
}

/** Freezes everything below: what a hook changes in place then throws. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const one of Object.values(value)) freeze(one);
  return value;
}

const text = fc.oneof(fc.string(), fc.constantFrom("", "seen before", "ä\u{1F600}\n"));

const result: fc.Arbitrary<TheirResult> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), value: fc.oneof(text, fc.jsonValue()) }),
  fc.record({ type: fc.constant("json" as const), value: fc.jsonValue() }),
  fc.record({
    type: fc.constant("error" as const),
    value: fc.oneof(
      text,
      fc.jsonValue(),
      fc.record({ error: fc.record({ type: text, message: text }), content: fc.jsonValue() }),
    ),
  }),
  fc.record({
    type: fc.constant("content" as const),
    value: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("text"), text }),
        fc.record({ type: fc.constant("file"), uri: text, mime: text }),
        fc.record({ type: fc.constant("hologram"), text }),
      ),
      { maxLength: 4 },
    ),
  }),
);

const plain: fc.Arbitrary<TheirPart> = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constant("reasoning"), text, encrypted: text }),
  fc.record({ type: fc.constant("media"), mediaType: text, data: text }),
  fc.record({ type: fc.constant("hologram"), text, depth: fc.jsonValue() }),
);

const input = fc.oneof(
  fc.record({ command: text }),
  fc.record({ path: text, content: text }),
  fc.record({ filePath: text, path: text }),
  fc.jsonValue(),
);

const call = fc.record({
  name: fc.constantFrom("shell", "read", "edit", "write", "patch", "subagent", "mcp_search"),
  input,
  result,
  isEnded: fc.boolean(),
  isByProvider: fc.boolean(),
});

const turn = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const, "system" as const),
  parts: fc.array(plain, { minLength: 1, maxLength: 3 }),
  calls: fc.array(call, { maxLength: 3 }),
  hasId: fc.boolean(),
});

export interface Conversation {
  messages: TheirMessage[];
  stored: Map<string, StoredMessage>;
}

/**
 * Any conversation that the contract allows, call ids that come again in a later answer included.
 */
export const conversation: fc.Arbitrary<Conversation> = fc
  .array(turn, { minLength: 1, maxLength: 8 })
  .map((turns) => {
    const messages: TheirMessage[] = [];
    const stored = new Map<string, StoredMessage>();
    for (const [at, { calls, hasId, parts, role }] of turns.entries()) {
      const id = `msg_${at}`;
      const made = role === "assistant" ? calls : [];
      const callID = (index: number): string => `call_${at % 3}_${index}`;
      const content = [
        ...parts,
        ...made.map(({ input: given, isByProvider, name }, index) => ({
          type: "tool-call",
          id: callID(index),
          name,
          input: given,
          ...(isByProvider && { providerExecuted: true }),
        })),
      ];
      messages.push(new HostMessage({ ...(hasId && role !== "system" && { id }), role, content }));
      for (const [index, { isEnded, name, result: ended }] of made.entries())
        if (isEnded)
          messages.push(
            new HostMessage({
              role: "tool",
              content: [{ type: "tool-result", id: callID(index), name, result: ended }],
            }),
          );
      stored.set(id, store(id, role, content, 1_000 * (at + 1)));
    }
    return { messages, stored };
  });

function store(id: string, role: string, content: readonly TheirPart[], created: number): StoredMessage {
  if (role !== "assistant") {
    const own = content.find((part) => part.type === "text")?.text;
    return { id, type: "user", time: { created }, ...(own !== undefined && { text: own }) };
  }
  const parts = content.flatMap(({ id: callID, input: given, name, text: said, type }): StoredPart[] => {
    if (type !== "tool-call") return said === undefined ? [] : [{ type, text: said }];
    const state = { status: "completed", ...(isRecord(given) && { input: given }), content: [] };
    return [{ type: "tool", id: callID ?? "", name: name ?? "", state, time: { created } }];
  });
  return { id, type: "assistant", time: { created, completed: created + 500 }, content: parts };
}
