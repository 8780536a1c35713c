/** A session continues another in the real OpenCode, from a checkpoint after a crash. */
import { expect } from "vitest";
import { only1 } from "../only-1.js";
import { whenContains } from "../stage/files.js";
import { findBreaks, formatBreak } from "../stage/prefix-breaks.js";
import { openStage } from "../stage/stage.js";
import { call, say } from "../stage/steps.js";
import { strata, whenNoAgentWorks } from "../stage/strata.js";

const notesOf = (id: string): string => `.opencode/session-memory/${id}.md`;
const todo = (content: string, status = "pending") =>
  call("todowrite", { todos: [{ content, status, priority: "medium" }] });

only1("it has no todo list")(
  "a checkpoint attached to a new session after a crash gives the model goal, todos, rules and plan, with stable bytes",
  async () => {
    await using stage = await openStage({ files: { "src/parser.ts": "one\n" } });
    const worker = await stage.newSession("parser");
    stage.model.script(
      call("write", { filePath: stage.project.file("plan.md"), content: "1. the lexer\n2. the emitter\n" }),
      call("write", { filePath: stage.project.file("made.ts"), content: "made\n" }),
      todo("the emitter", "in_progress"),
      say("The lexer is done."),
    );
    await worker.ask("Port the parser. Never use eval.");
    await whenContains(stage.project.file(notesOf(worker.id)), "The lexer is done.");
    const kept = await worker.slash("checkpoint", "before the emitter");
    const id = /cp-[0-9a-f]{7}/.exec(kept)?.[0] ?? "";
    expect(kept).toContain('"before the emitter"');

    stage.model.script(call("bash", { command: "sleep 60", description: "works" }));
    const turn = worker.ask("Now the emitter.").catch(() => "killed");
    await stage.model.waitForRequest((request) => request.textOf("user").includes("Now the emitter."));
    await stage.restart({ kill: true });
    await turn;

    expect(strata(stage.project, "sessions", "checkpoint", "--list").stdout).toMatch(
      new RegExp(`^${id} .*"before the emitter"$`, "m"),
    );
    await whenNoAgentWorks(stage.project);
    expect(strata(stage.project, "sessions", "attach", id).stdout).toContain(
      "the first message of the next new session",
    );
    const next = await stage.newSession("goes on");
    stage.model.script(call("bash", { command: "true", description: "nothing" }), say("on it"));
    await next.ask("Go on with the parser.");
    const told = stage.model.lastRequest().textOf("user");
    for (const piece of [
      id,
      "Port the parser.",
      "Never use eval.",
      "- the emitter (in progress)",
      "> 1. the lexer",
    ])
      expect(told).toContain(piece);
    await stage.restart();
    stage.model.script(say("still"));
    await stage.session(next.id).ask("and on");
    const requests = stage.model.requests.filter(({ sessionID }) => sessionID === next.id);
    expect(requests.length).toBe(3);
    expect(findBreaks(requests).map(formatBreak)).toEqual([]);
    const text = requests.at(-1)?.textOf("user") ?? "";
    expect(text.split("has attached an earlier session")).toHaveLength(2);
    expect(JSON.stringify(await stage.session(next.id).messages())).not.toContain("has attached an earlier");

    stage.model.script(say("hello"));
    await (await stage.newSession("another")).ask("Hello.");
    expect(stage.model.lastRequest().textOf("user")).not.toContain("has attached an earlier session");
  },
);
