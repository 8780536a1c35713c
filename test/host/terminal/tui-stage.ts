/**
 * The stage for tests of the screen: a project and a scripted model, with OpenCode's TUI in a terminal instead of a
 * server.
 *
 *     await using stage = await openTuiStage({ plugin: repository, screen: repository });
 *     await using tui = await stage.openTui();
 *     await tui.send("hello");
 *     await tui.waitFor("ok");
 */
import { formatConfig } from "../stage/opencode.js";
import { createProject, type Project } from "../stage/project.js";
import { type ScriptedModel, startScriptedModel } from "../stage/scripted-model.js";
import { type StageOptions, stageConfig } from "../stage/stage.js";
import { HOST } from "../stage/which-host.js";
import { openTui, type Tui, type TuiOptions } from "./tui.js";

export interface TuiStageOptions
  extends Pick<StageOptions, "files" | "plugin" | "options" | "config" | "isCloned" | "promptCache"> {
  /** Plugins of the TUI: entries of `tui.json`; none by default. */
  screen?: string | string[];
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
    const screen = [options.screen ?? []].flat();
    // OpenCode 2 has one list for both halves.
    const plugin = HOST === 2 ? [...new Set([options.plugin ?? [], screen].flat())] : options.plugin;
    const files = {
      ...options.files,
      "opencode.json": formatConfig(stageConfig(model.url, { ...options, ...(plugin && { plugin }) })),
      ...(HOST === 1 && screen.length > 0 && { "tui.json": JSON.stringify({ plugin: screen }, null, 2) }),
    };
    const project = await createProject(files, { isCloned: options.isCloned ?? false });
    undo.push(project.remove);
    return { project, model, openTui: (given) => openTui(project, given), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}
