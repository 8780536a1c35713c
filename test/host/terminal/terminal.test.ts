/** The terminal that tests of the screen use. */
import { expect, test } from "vitest";
import { createProject } from "../stage/project.js";
import { findStrays } from "../stage/strays.js";
import { LIGHT } from "./screen.js";
import { openTerminal, type TerminalOptions } from "./terminal.js";

const open = (script: string, options: Partial<TerminalOptions> = {}) =>
  openTerminal({
    ...{ columns: 40, rows: 5, cwd: "/", env: { PATH: process.env.PATH ?? "" } },
    command: ["/bin/sh", "-c", script],
    ...options,
  });

test("a program sees a terminal of the given size, and of another size after a resize", async () => {
  await using terminal = await open("stty size; trap 'stty size' WINCH; while :; do read -r line; done");
  await terminal.waitFor("5 40");
  terminal.resize({ columns: 30, rows: 4 });
  await terminal.waitFor("4 30");
});

test("a screen has text, wide characters and colours, and knows the terminal's own colours", async () => {
  const drawn = "\\033[38;2;255;128;0;48;5;21mA\\033[0m\\033[1mB\\033[0m 漢\\033[7mC\\033[0m";
  await using terminal = await open(`printf '${drawn}'; read -r line`, { isDark: false });
  expect(await terminal.waitFor("C")).toBe("AB 漢C\n\n\n\n");
  const [orange, bold, , wide, reversed] = terminal.screen().cells[0] ?? [];
  expect(orange).toMatchObject({ text: "A", ink: "#ff8000", paper: "#0000ff", isBold: false });
  expect(bold).toMatchObject({ text: "B", ...LIGHT, isBold: true });
  expect(wide).toMatchObject({ text: "漢", width: 2 });
  expect(reversed).toMatchObject({ ink: LIGHT.paper, paper: LIGHT.ink });
});

test("keys arrive as a terminal sends them, and a program that asks for the background is told", async () => {
  const ask =
    "stty raw; printf '\\033]11;?\\033\\\\'; dd bs=1 count=25 2>/dev/null | od -An -c; od -An -N4 -c";
  await using terminal = await open(`${ask}; read -r line`, { isDark: false, rows: 9 });
  await terminal.waitFor(/r\s+g\s+b\s+:\s+f\s+f\s+f\s+f/);
  terminal.press("ctrl+p", "up");
  await terminal.waitFor(/020 033\s+\[\s+A/);
});

test("a wait that fails shows the screen: after its bound, and at once if the program has ended", async () => {
  await using terminal = await open("echo hello; read -r line; exit 3");
  await terminal.waitFor("hello");
  await expect(terminal.waitFor("never", 20)).rejects.toThrow(
    /"never" was not seen within \d+ ms[\s\S]*hello/,
  );
  const waiting = terminal.waitFor("never");
  terminal.press("enter");
  await expect(waiting).rejects.toThrow(/before the program ended[\s\S]*hello/);
  expect(await terminal.ended).toBe(3);
});

test("a closed terminal leaves no process", async () => {
  const project = await createProject();
  const env = { PATH: process.env.PATH ?? "", HOME: project.folders.home };
  const terminal = await open("trap '' HUP TERM; sleep 600 & echo begun; wait", { env });
  await terminal.waitFor("begun");
  expect(findStrays(project.root).length).toBeGreaterThan(0);
  await terminal.close();
  // The system takes a moment to end a killed process.
  await expect.poll(() => findStrays(project.root)).toEqual([]);
  await project.remove();
});
