/** The pages of the screen half on OpenCode's real screen: what is chosen there reaches the model and the files. */
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { FIGURES } from "../fixtures/screen-figures.js";
import { repository } from "../repository.js";
import { whenContains } from "../stage/files.js";
import { call, say } from "../stage/steps.js";
import { HOST } from "../stage/which-host.js";
import { installByHost } from "../terminal/installed.js";
import { SIZES } from "../terminal/tui.js";
import { openTuiStage } from "../terminal/tui-stage.js";

const WORDS = "the quick brown fox jumps over the lazy dog";
const LONG = Array.from({ length: 400 }, (_, n) => `${n} ${WORDS}`).join("\n");

test("the page of /context drops a result after a question, and the next request goes without it", async () => {
  await using stage = await openTuiStage({
    plugin: repository,
    screen: repository,
    files: { "big.txt": LONG },
  });
  await using tui = await stage.openTui();
  const read = call("read", { filePath: stage.project.file("big.txt") }, { id: "big" });
  stage.model.script(read, say("It is about a fox."));
  await tui.send("what is in big.txt?");
  await tui.waitFor("It is about a fox.");
  expect(stage.model.lastRequest().toolResult("big")).toContain(WORDS);
  // The list is written behind the request.
  await tui.waitFor(() => tui.sidebar().includes("results"));

  await tui.run("/context");
  await tui.waitFor(/Context: .* tokens/);
  tui.type("read");
  await tui.waitFor(/read big\.txt +turn 1/);
  tui.press("enter");
  await tui.waitFor(/Drop … +frees [\d.]+K/);
  tui.press("enter");
  await tui.waitFor(/will leave the context/);
  tui.press("enter");
  // The list is there again.
  await tui.waitFor(/read big\.txt +drop asked for/);
  tui.press("escape");
  await tui.waitWithout(/Context: .* tokens/);

  stage.model.script(say("As you wish."));
  await tui.send("go on");
  await tui.waitFor("As you wish.");
  const left = stage.model.lastRequest().toolResult("big");
  expect(left).toContain("[Strata]");
  expect(left).not.toContain(`399 ${WORDS}`);
});

test("in an installed package, what a turn has stored is told in a toast, its page shows it, and ctrl+x z takes it back", async () => {
  await using stage = await openTuiStage();
  // As its user has it: in node_modules, where OpenCode loads files in another way.
  await installByHost(stage.project);
  await using tui = await stage.openTui();
  stage.model.script(say("Understood."));
  await tui.send("Always deploy on Fridays.");
  await tui.waitFor(/remembered: Always deploy on/);
  await tui.run("/recall deploy");
  await tui.waitFor(/"deploy": 1 found/);
  tui.press("enter");
  await tui.waitFor(/directive\/always-deploy-on-fridays/);
  tui.press("escape");
  await tui.waitWithout("Edit in your editor");

  tui.press("ctrl+x");
  tui.type("z");
  await tui.waitFor("Take back the last change of memory");
  tui.press("enter");
  await tui.waitFor(/Taken back: memory of/);
  tui.press("enter");
  await tui.waitWithout("Taken back");
  await tui.run("/recall deploy");
  await tui.waitFor(/Nothing found for "deploy"/);
  // No page asks a model or adds a message to the session.
  expect(stage.model.requests).toHaveLength(1);
});

test("enter on a quote that /recall shows opens its session", async () => {
  await using stage = await openTuiStage({ plugin: repository, screen: repository });
  await using tui = await stage.openTui();
  stage.model.script(say("The giraffe port is 8080."), say("Invoices are numbered by quarter."));
  await tui.send("which port do we use?");
  await tui.waitFor("The giraffe port is 8080.");
  tui.press("ctrl+x");
  tui.type("n");
  await tui.waitWithout("The giraffe port is 8080.");
  await tui.send("how are invoices numbered?");
  await tui.waitFor("Invoices are numbered by quarter.");
  // What the first turn said is indexed behind it.
  await tui.run("/recall giraffe");
  await tui.waitFor(/Conversations: enter opens the session/);
  tui.press("enter");
  await tui.waitWithout("Invoices are numbered by quarter.");
  await tui.waitFor(/which port do we use\?[\s\S]*The giraffe port is 8080\./);
});

test("the page of notes opens them in the user's editor, the screen comes back, and what was written stays", async () => {
  await using stage = await openTuiStage({
    plugin: repository,
    screen: repository,
    files: { "edit.sh": 'printf "\\n- Checked by hand.\\n" >> "$1"\n' },
  });
  await using tui = await stage.openTui({ env: { EDITOR: `sh ${stage.project.file("edit.sh")}` } });
  const listing = call("bash", { command: "ls -l", description: "Lists the files" }, { id: "ls" });
  stage.model.script(listing, say("We listen on port 5432, as the service before it."));
  await tui.send("which port do we use?");
  await tui.waitFor("port 5432");
  const path = `.opencode/session-memory/${stage.model.lastRequest().sessionID}.md`;
  await whenContains(stage.project.file(path), "which port do we use?");
  await tui.run("/notes");
  await tui.waitFor(/Open in sh/);
  tui.press("enter");
  await tui.waitFor(/Closed ses_/);
  expect(await tui.waitFor("port 5432")).toContain("which port do we use?");
  expect(stage.project.read(path)).toContain("- Checked by hand.");
  stage.model.script(say("Nothing more."));
  await tui.send("anything else?");
  await tui.waitFor("Nothing more.");
  await whenContains(stage.project.file(path), "anything else?");
  expect(stage.project.read(path)).toContain("Checked by hand.");
});

test("in a narrow terminal /memory opens its page before and after the first message, with words behind it too, and nothing of it is in the session", async () => {
  await using stage = await openTuiStage({ plugin: repository, screen: repository });
  await using tui = await stage.openTui({ size: SIZES.narrow });
  const page = /Strata(: A title)? +esc[\s\S]*This session/;
  const open = async (typed: string): Promise<string> => {
    await tui.run(typed);
    const text = await tui.waitFor(page);
    tui.press("escape");
    await tui.waitWithout(page);
    return text;
  };
  expect(await open("/memory")).toMatch(/context +figures follow with the next request/);
  await open("/memory status");
  if (HOST === 1) {
    // Where the words stay; OpenCode 2 takes them.
    await tui.waitFor("/memory status");
    tui.press("ctrl+u");
  }
  await tui.waitWithout("/memory status");
  stage.model.script(say("Hello."), say("Bye."));
  await tui.send("good morning");
  await tui.waitFor("Hello.");
  // The figures are written behind the request.
  await tui.waitFor(/cache hits|cache \d/);
  expect(await open("/memory")).toMatch(/context +[\d.]+K tokens of 50K/);
  tui.press("ctrl+x");
  tui.type("o");
  await tui.waitFor(page);
  tui.press("escape");
  await tui.waitWithout(page);
  await tui.send("good night");
  expect(await tui.waitFor("Bye.")).not.toContain("[Strata]");
  expect(stage.model.requests).toHaveLength(2);
  expect(stage.model.lastRequest().textOf("user")).not.toContain("/memory");
});

test("a damaged file of figures leaves the screen as it was, turns go on, and without a file nothing is claimed", async () => {
  await using stage = await openTuiStage({ screen: repository });
  await using tui = await stage.openTui();
  stage.model.script(say("Hello."));
  await tui.send("hi");
  await tui.waitFor("Hello.");
  const { sessionID: session = "" } = stage.model.lastRequest();
  const path = `.opencode/strata/state/screen/${session}.json`;
  await stage.project.write(path, JSON.stringify({ ...FIGURES, session }));
  await tui.waitFor(() => tui.sidebar().includes("context 13.3K of 80K"));
  for (const [turn, odd] of ["{", '{"v":1,"context":7}', "\u001b[2J\u0000", "x".repeat(300_000)].entries()) {
    await stage.project.write(path, odd);
    stage.model.script(say(`Answer ${turn}.`));
    await tui.send(`question ${turn}`);
    await tui.waitFor(`Answer ${turn}.`);
    expect(tui.sidebar()).toContain("context 13.3K of 80K");
  }
  rmSync(stage.project.file(path));
  await tui.waitFor(() => tui.sidebar().includes("figures follow with the next request"));
});
