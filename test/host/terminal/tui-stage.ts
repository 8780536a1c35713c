/**
 * The stage for tests of the screen: a project and a scripted model, with OpenCode's TUI in a terminal instead of a
 * server.
 *
 *     await using stage = await openTuiStage({ plugin: repository, screen: repository });
 *     await using tui = await stage.openTui();
 *     await tui.send("hello");
 *     await tui.waitFor("ok");
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatConfig } from "../stage/opencode.js";
import { createProject, type Project } from "../stage/project.js";
import { type ScriptedModel, startScriptedModel } from "../stage/scripted-model.js";
import { type StageOptions, stageConfig } from "../stage/stage.js";
import { HOST } from "../stage/which-host.js";
import { openTui, type Tui, type TuiOptions } from "./tui.js";

export interface TuiStageOptions
  extends Pick<StageOptions, "files" | "plugin" | "options" | "config" | "isCloned" | "promptCache"> {
  /** Plugins of the TUI, none by default. In OpenCode 2 an entry of `plugin` has loaded its screen half already. */
  screen?: string;
  /** Options of that entry. */
  screenOptions?: Record<string, unknown>;
}

export interface TuiStage extends AsyncDisposable {
  readonly project: Project;
  readonly model: ScriptedModel;
  /** One at a time. */
  openTui(options?: TuiOptions): Promise<Tui>;
}

export async function openTuiStage(options: TuiStageOptions = {}): Promise<TuiStage> {
  const model = await startScriptedModel(options.promptCache);
  const undo = [model.close];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const { screen, screenOptions: given = {} } = options;
    const files = {
      ...options.files,
      "opencode.json": formatConfig(stageConfig(model.url, { plugin: [], ...options })),
      ...(HOST === 1 &&
        screen !== undefined && { "tui.json": JSON.stringify({ plugin: [[screen, given]] }) }),
    };
    const project = await createProject(files, { isCloned: options.isCloned ?? false });
    undo.push(project.remove);
    if (HOST === 2 && screen !== undefined)
      await configureScreen(project, { package: screen, options: given });
    return { project, model, openTui: (given) => openTui(project, given), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The TUI of OpenCode 2 has plugins of its own in the user's `cli.json` alone. */
async function configureScreen({ folders }: Project, plugin: object): Promise<void> {
  const folder = join(folders.config, "opencode");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "cli.json"), JSON.stringify({ plugins: [plugin] }));
}
