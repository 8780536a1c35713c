import { formatCount, formatPercent } from "../../base/format.js";
import { formatContext } from "../../status/format-figures.js";
import type { SessionRow } from "../answers.js";
import { ContextMeter } from "./context-meter.js";
import { formatRoute, useAnswer } from "./hooks.js";
import { Age, Card, Chip, Empty, Heading, Loaded } from "./parts.js";
import { addressOf } from "./server.js";

const nameSession = ({ about, id, title }: Pick<SessionRow, "about" | "id" | "title">): string =>
  title ?? about ?? id;

const TONES: Readonly<Record<NonNullable<SessionRow["phase"]>, string>> = {
  working: "busy",
  unanswered: "warn",
  asking: "warn",
  open: "plain",
  done: "good",
};

export function SessionsView() {
  const answer = useAnswer<readonly SessionRow[]>(addressOf("sessions"));
  return (
    <>
      <Heading>Sessions</Heading>
      <Loaded answer={answer}>
        {(rows) => (
          <Card>
            {rows.length === 0 && <Empty>No sessions yet.</Empty>}
            <ul class="rows">
              {rows.map((row) => (
                <li key={row.id}>
                  <SessionLink row={row} facts={listFacts(row)} />
                </li>
              ))}
            </ul>
          </Card>
        )}
      </Loaded>
    </>
  );
}

/** A link to a session, with its context as a bar. `facts`: what else its last line says. */
export function SessionLink({ facts = [], row }: { facts?: readonly string[]; row: SessionRow }) {
  const { about, context, id, lastActive, phase } = row;
  const line = [...(context ? [formatContext(context, " tokens")] : []), ...facts].join(" · ");
  return (
    <a class="row" data-row href={formatRoute("sessions", id)}>
      <span class="row-head">
        <b>{nameSession(row)}</b>
        {phase && <Chip tone={TONES[phase]}>{phase}</Chip>}
        <Age at={lastActive} />
      </span>
      {about !== undefined && about !== nameSession(row) && <span class="about">{about}</span>}
      {context && <ContextMeter context={context} />}
      {line !== "" && <span class="fine">{line}</span>}
    </a>
  );
}

const listFacts = ({ openTodos, requests, saved }: SessionRow): string[] => [
  ...(requests > 0 ? [`${formatCount(requests)} ${requests === 1 ? "request" : "requests"}`] : []),
  ...(saved?.share === undefined ? [] : [`${formatPercent(saved.share)} saved`]),
  ...(openTodos > 0 ? [`${openTodos} open ${openTodos === 1 ? "todo" : "todos"}`] : []),
];
