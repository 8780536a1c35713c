/** Answers the tools in the host with what the recorded session got, by call id, over a local port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { RecordedCall } from "./recorded-session.js";

/** What a tool in the host answers. */
export interface RecordedAnswer {
  result: string;
  isError: boolean;
  /** Exit code, of a command. */
  exit?: number;
}

export interface RecordedAnswers {
  /** The address that tools ask, with the call id in the path. */
  readonly url: string;
  /** Call ids that were asked for and are not recorded. */
  readonly missing: readonly string[];
  /** Prepares the answer to a call. */
  add(callID: string, call: RecordedCall): void;
  close(): Promise<void>;
}

/** Opens the port. `onCall` is told of each call before it is answered. */
export async function openRecordedAnswers(
  onCall: (call: RecordedCall) => Promise<void>,
): Promise<RecordedAnswers> {
  const known = new Map<string, RecordedCall>();
  const missing: string[] = [];
  const server = createServer(async (request, response) => {
    const callID = decodeURIComponent(request.url?.slice(1) ?? "");
    const call = known.get(callID);
    known.delete(callID);
    if (call) await onCall(call);
    else missing.push(callID);
    response.end(JSON.stringify(call ? toAnswer(call) : { result: "[not recorded]", isError: true }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    missing,
    add: (callID, call) => void known.set(callID, call),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const EXIT = /^(?:Exit code:? (\d+)|[\s\S]{0,200}?Process exited with code (\d+))/;

/** The host reports a command that fails as a success with an exit code. */
export function toAnswer({ exit, tool, result, error = false }: RecordedCall): RecordedAnswer {
  if (tool !== "bash") return { result, isError: error };
  const [, plain, codex] = EXIT.exec(result) ?? [];
  return { result, isError: false, exit: exit ?? Number(plain ?? codex ?? (error ? 1 : 0)) };
}
