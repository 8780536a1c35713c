/**
 * The few things the machine may ask of the coding agent's host. `src/host/` answers them for OpenCode.
 *
 * Contract: nothing here throws or rejects; what the host cannot answer is `undefined` or does nothing.
 */
export interface Host {
  /** Absolute path of the folder whose `.opencode` holds everything written. */
  readonly project: string;
  /** Absolute paths of the files whose `memory` key counts, whether or not they are there; the weakest first. */
  readonly configFiles: readonly string[];
  /** When the session was last used, `undefined` when the host no longer has it, "unknown" when it did not say. */
  sessionLastUsedMs(sessionID: string): Promise<number | undefined | "unknown">;
  /** Shows a short message where there is a screen. Never waited for. */
  toast(message: string, variant: ToastVariant): void;
  /** The host's own log: the way out when ours cannot be written. Never waited for. */
  log(level: "error" | "warn", message: string): void;
}

export type ToastVariant = "info" | "success" | "warning" | "error";
