/** The scripted model behind the contract host: what it answers, and every request as it goes over the wire. */

/** What the model does next. */
export type Line =
  | { say: string }
  | {
      calls: readonly ScriptedCall[];
      /** Text before the calls. */
      say?: string;
    };

export interface ScriptedCall {
  name: string;
  input: Record<string, unknown>;
  /** Result of a tool of the host's: its text, a failure, or what a child session answers. */
  result?: { text: string } | { error: string } | { child: string };
  metadata?: Record<string, unknown>;
}

export const say = (text: string): Line => ({ say: text });

/** A call of one of the host's tools with this result. */
export const call = (
  name: string,
  input: Record<string, unknown>,
  text: string,
  metadata: Record<string, unknown> = {},
): Line => ({ calls: [{ name, input, result: { text }, metadata }] });

export const fail = (name: string, input: Record<string, unknown>, error: string): Line => ({
  calls: [{ name, input, result: { error } }],
});

/** A call of one of the plugin's tools. */
export const use = (name: string, input: Record<string, unknown>): Line => ({ calls: [{ name, input }] });

export interface WireRequest {
  sessionID: string;
  kind: string;
  /** Each message as sent. */
  messages: readonly string[];
  tools: readonly string[];
}

export interface ScriptedModel {
  readonly requests: readonly WireRequest[];
  script(...lines: Line[]): void;
  /** Records the request; the answer to it. */
  answer(request: WireRequest): Line | Promise<Line>;
  /** The agent's requests in a session. */
  primary(sessionID: string): WireRequest[];
}

export function createScriptedModel(): ScriptedModel {
  const requests: WireRequest[] = [];
  const lines: Line[] = [];
  return {
    requests,
    script: (...more) => void lines.push(...more),
    answer(request) {
      requests.push(request);
      return lines.shift() ?? { say: "ok" };
    },
    primary: (sessionID) => requests.filter((one) => one.sessionID === sessionID && one.kind === "primary"),
  };
}

/** Requests whose beginning is not the whole request before them, by number. */
export function findBreaks(requests: readonly WireRequest[]): number[] {
  return requests.flatMap(({ messages }, index) => {
    const before = requests[index - 1]?.messages ?? [];
    return before.every((message, at) => messages[at] === message) ? [] : [index];
  });
}
