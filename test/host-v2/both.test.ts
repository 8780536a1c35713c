/** A project that is used with OpenCode 1 and 2: one memory, one ledger, and converted sessions. */
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import type { StoredMessage } from "../../src/host/setup/contract.js";
import { call } from "../support/messages.js";
import { createSession } from "../support/session.js";
import { openWorld as openFirst } from "../support/world.js";
import type { HostSession } from "./host-types.js";
import { say } from "./script.js";
import { openWorld as openSecond } from "./world.js";

const LONG = Array.from({ length: 900 }, (_, index) => `row ${index} ${"x".repeat(60)}`).join("\n");

/** A session of OpenCode 1 as OpenCode 2 has converted it, with other call ids if so wanted. */
function convert(messages: readonly Message[], callIDs = (id: string) => id): StoredMessage[] {
  return messages.map(({ info, parts }): StoredMessage => {
    const time = { ...info.time, created: info.time?.created ?? 0 };
    if (info.role === "user") return { id: info.id, type: "user", time, text: parts[0]?.text ?? "" };
    const content = parts.map((part) => {
      if (part.type !== "tool") return { type: part.type, text: part.text ?? "" };
      const { callID, state } = part as ReturnType<typeof call>;
      const { end, start = 0 } = state.time ?? {};
      const text = { type: "text", text: state.output ?? "" };
      const done = { status: "completed", input: state.input, content: [text], metadata: {} };
      const times = { created: start, ...(end !== undefined && { completed: end }) };
      return { type: "tool", id: callIDs(callID), name: "shell", state: done, time: times };
    });
    const model = { providerID: info.providerID ?? "", id: info.modelID ?? "" };
    return {
      id: info.id,
      type: "assistant",
      time,
      content,
      model,
      tokens: info.tokens,
      finish: "stop",
      agent: "build",
    };
  });
}

async function play(callIDs?: (id: string) => string) {
  const first = await openFirst();
  const session = createSession(first.clock, "ses_1");
  session.user("Look at the log.");
  session.answer([call("bash", LONG, { callID: "call_a", startMs: first.clock.now() + 1_000 })], {
    text: "seen",
  });
  const sent = await first.request([...session.messages]);
  const preview = JSON.stringify(sent).match(/\[Strata\][^"]*/)?.[0] ?? "none";
  await first.strata.idle();
  await first.strata.dispose();
  const second = await openSecond({ files: first.files, clock: first.clock });
  const converted: HostSession = {
    ...second.host.newSession(),
    id: "ses_1",
    stored: convert(session.messages, callIDs),
  };
  second.host.sessions.set(converted.id, converted);
  second.host.model.script(say("going on"));
  await second.host.ask(converted, "go on");
  await second.strata?.idle();
  const wire = second.host.model.primary("ses_1")[0]?.messages.join("\n") ?? "";
  return { first, second, preview, wire };
}

describe("a project used with both generations", () => {
  it("a converted session keeps its decisions where its times and call ids survive", async () => {
    const { preview, second, wire } = await play();
    expect(preview).toContain("[Strata]");
    expect(wire).toContain(preview);
    expect(wire).not.toContain("row 450 ");
    const spilled = second.lines("savings/ses_1.jsonl").filter(({ event }) => event === "spilled");
    expect(spilled).toHaveLength(1);
  });

  it("a converted session with other ids is decided about again, with a recorded break", async () => {
    const { second, wire } = await play((id) => `converted_${id}`);
    expect(wire).not.toContain("row 450 ");
    const events = second.lines("savings/ses_1.jsonl").map(({ event }) => event);
    expect(events.filter((event) => event === "spilled")).toHaveLength(2);
    expect(events).toContain("break");
  });

  it("a memory stored in OpenCode 2 comes up in OpenCode 1", async () => {
    const second = await openSecond();
    const session = second.host.newSession();
    second.host.model.script(say("noted"));
    await second.host.ask(session, "From now on always use pnpm instead of npm in this repository.");
    await second.strata?.idle();
    await new Promise(setImmediate);
    await second.strata?.idle();
    await second.end();
    const first = await openFirst({ files: second.files, clock: second.clock });
    const other = createSession(first.clock, "ses_9");
    other.user("Which package manager do we use?");
    expect(JSON.stringify(await first.request([...other.messages]))).toContain("pnpm");
  });
});
