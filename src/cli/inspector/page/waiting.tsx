/** What waits for the user's decision: candidates and conflicting memories. */
import type { ComponentChildren } from "preact";
import { formatPercent } from "../../../format.js";
import type { ConflictPair, Version, Waiting, WaitingSentence } from "../answers.js";
import { compareTexts } from "./diff.js";
import { useAnswer, useShared } from "./hooks.js";
import { Age, Button, Card, Chip, Empty, Heading, Loaded } from "./parts.js";
import { formatRoute } from "./route.js";
import { addressOf } from "./server.js";

export function WaitingView() {
  const answer = useAnswer<Waiting>(addressOf("waiting"));
  return (
    <>
      <Heading>Waiting for you</Heading>
      <Loaded answer={answer}>
        {({ candidates = [], candidatesWhy, conflicts }) => (
          <>
            {conflicts.map((conflict) => (
              <Conflict key={conflict.name} conflict={conflict} />
            ))}
            {candidatesWhy !== undefined && <p class="failure">{candidatesWhy}</p>}
            {candidates.map((candidate) => (
              <Sentence key={candidate.id} candidate={candidate} />
            ))}
            {conflicts.length + candidates.length === 0 && candidatesWhy === undefined && (
              <Card>
                <Empty>
                  Nothing waits for you. Sentences that may be rules of yours and conflicting memories appear
                  here.
                </Empty>
              </Card>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function Sentence({ candidate }: { candidate: WaitingSentence }) {
  const { apply } = useShared();
  const { after, before, worth, id, said, sessions, text, type } = candidate;
  const last = said.at(-1);
  return (
    <Card class="sentence">
      <blockquote>
        {before !== undefined && <span class="beside">{before} </span>}
        {before === undefined && after === undefined ? text : <mark>{text}</mark>}
        {after !== undefined && <span class="beside"> {after}</span>}
      </blockquote>
      <p class="fine">
        <Chip tone="type">{type}</Chip> {formatPercent(worth)} likely worth keeping
        {last && (
          <>
            {" · said "}
            <Age at={last.at} /> in <a href={formatRoute("sessions", last.session)}>{last.session}</a>
          </>
        )}
        {sessions > 1 && ` · said in ${sessions} sessions`}
      </p>
      <div class="actions" data-row tabIndex={-1}>
        <Button tone="main" onClick={() => apply("candidates/keep", { id })} label={`Keep: ${text}`}>
          Keep
        </Button>
        <Button onClick={() => apply("candidates/drop", { id })} label={`Drop: ${text}`}>
          Drop
        </Button>
      </div>
    </Card>
  );
}

function Conflict({ conflict }: { conflict: ConflictPair }) {
  const { apply } = useShared();
  const { found, name, that, title } = conflict;
  const pieces = compareTexts(conflict.this.text, that.text);
  const decide = (keep: string) => () => apply("conflicts/decide", { name, keep });
  return (
    <Card title={`Two versions of “${title}”`} more={<Age at={found} />} class="conflict">
      <div class="sides">
        <Side heading="In use" version={conflict.this}>
          {pieces
            .filter(({ kind }) => kind !== "added")
            .map(({ kind, text }, at) =>
              kind === "same" ? <span key={at}>{text}</span> : <mark key={at}>{text}</mark>,
            )}
        </Side>
        <Side heading="Other version" version={that}>
          {pieces
            .filter(({ kind }) => kind !== "removed")
            .map(({ kind, text }, at) =>
              kind === "same" ? <span key={at}>{text}</span> : <mark key={at}>{text}</mark>,
            )}
        </Side>
      </div>
      <div class="actions" data-row tabIndex={-1}>
        <Button onClick={decide("this")}>Keep the version in use</Button>
        <Button onClick={decide("that")}>Keep the other version</Button>
        <Button onClick={decide("both")}>Keep both</Button>
      </div>
    </Card>
  );
}

interface SideProps {
  heading: string;
  version: Version;
  children: ComponentChildren;
}

function Side({ children, heading, version: { by, id } }: SideProps) {
  return (
    <div class="side">
      <h3>{heading}</h3>
      <p class="text">{children}</p>
      <p class="fine">
        {id === undefined ? "only in the conflict record" : <a href={formatRoute("memories", id)}>{id}</a>}
        {by !== undefined && `, from ${by}`}
      </p>
    </div>
  );
}
