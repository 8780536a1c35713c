import { type Own, openOwn } from "../project/own.js";
import type { Project } from "./project.js";

/** The state that belongs to this machine. */
export const openOwnState = ({ cli, folders, instance, log, processes, stateFolder }: Project): Own =>
  openOwn({ clock: cli.clock, files: cli.files, log, folders, instance, host: { stateFolder, processes } });
