import { formatCount, formatPercent, formatTokens } from "../../base/format.js";
import { formatSaving, formatWorth, isGain } from "../../status/format-figures.js";
import type { Overview, SessionRow } from "../answers.js";
import { DaysChart } from "./charts.js";
import { formatRoute, useAnswer, useNow } from "./hooks.js";
import { Card, Chip, Counts, Empty, Figure, Heading, Loaded } from "./parts.js";
import { addressOf } from "./server.js";
import { SessionLink } from "./sessions.js";

/** A session counts as current for this long after its last use. */
const CURRENT_MS = 3_600_000;
const MOST_CURRENT = 4;

export function OverviewView() {
  const overview = useAnswer<Overview>(addressOf("overview"));
  const sessions = useAnswer<readonly SessionRow[]>(addressOf("sessions"));
  return (
    <>
      <Heading>Overview</Heading>
      <Loaded answer={overview}>
        {(value) => (
          <>
            <Saved overview={value} />
            {value.problems.length > 0 && <Problems problems={value.problems} />}
          </>
        )}
      </Loaded>
      <Loaded answer={sessions}>{(rows) => <Current rows={rows} />}</Loaded>
      {overview.value && <Rest overview={overview.value} />}
    </>
  );
}

function Saved({ overview }: { overview: Overview }) {
  const { requests, saved, totals } = overview;
  const { project, today } = saved;
  const isSaved = isGain(project);
  const share = project.share === undefined ? undefined : formatPercent(project.share);
  return (
    <section class="hero">
      {isSaved && <p class="big">{share ?? formatWorth(project)}</p>}
      <p class="claim">
        {isSaved ? "saved in this project" : formatSaving(project)}
        <small>
          {isSaved && `${formatWorth(project)} less than OpenCode alone · `}
          today: {formatSaving(today)}
        </small>
      </p>
      <dl class="figures">
        <Figure
          label="From the cache"
          value={totals.sent > 0 ? formatPercent(totals.cached / totals.sent) : "–"}
          more={`of ${formatTokens(totals.sent)} tokens sent`}
        />
        <Figure
          label="Removed from context"
          value={formatTokens(totals.tokensFreed)}
          more={`at the cost of ${formatTokens(totals.cacheLost)} cached tokens`}
        />
        <Figure label="Requests" value={formatCount(requests)} />
      </dl>
    </section>
  );
}

function Problems({ problems }: { problems: readonly string[] }) {
  return (
    <Card title="Problems" class="warning">
      <ul class="plain">
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </Card>
  );
}

function Current({ rows }: { rows: readonly SessionRow[] }) {
  const now = useNow();
  const recent = rows.filter(({ lastActive }) => now - Date.parse(lastActive) < CURRENT_MS);
  const shown = (recent.length > 0 ? recent : rows).slice(0, recent.length > 0 ? MOST_CURRENT : 2);
  return (
    <Card
      title={recent.length > 0 || shown.length === 0 ? "Now" : "Last used"}
      more={<a href={formatRoute("sessions")}>All sessions</a>}
    >
      {shown.length === 0 && <Empty>No sessions yet. They appear here when you work in OpenCode.</Empty>}
      <ul class="rows">
        {shown.map((row) => (
          <li key={row.id}>
            <SessionLink row={row} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Rest({ overview }: { overview: Overview }) {
  const { background, blockers, candidates, conflicts, days, layers, memories, results } = overview;
  const count = Object.values(memories).reduce((sum, one) => sum + one, 0);
  const types = Object.entries(memories).sort(([, a], [, b]) => b - a);
  return (
    <div class="columns">
      <Card
        title={
          days.some(({ saved }) => saved.dollars !== undefined)
            ? "Savings per day, in dollars"
            : "Savings per day, in input tokens"
        }
        class="wide"
      >
        {days.every(({ saved }) => saved.tokens === 0) ? (
          <Empty>No savings yet.</Empty>
        ) : (
          <DaysChart days={days} />
        )}
      </Card>
      <Card
        title={`${formatCount(count)} ${count === 1 ? "memory" : "memories"}`}
        more={<a href={formatRoute("memories")}>All</a>}
      >
        <Counts rows={types.map(([name, number]) => ({ name, number, text: formatCount(number) }))} />
        {(candidates ?? 0) + conflicts > 0 && (
          <p class="fine">
            <a href={formatRoute("waiting")}>
              {[
                ...(candidates
                  ? [`${candidates} ${candidates === 1 ? "sentence waits" : "sentences wait"}`]
                  : []),
                ...(conflicts > 0 ? [`${conflicts} ${conflicts === 1 ? "conflict" : "conflicts"}`] : []),
              ].join(", ")}
            </a>
          </p>
        )}
        {blockers.map(({ id, title }) => (
          <p class="fine" key={id}>
            <Chip tone="warn">blocker</Chip> <a href={formatRoute("memories", id)}>{title}</a>
          </p>
        ))}
      </Card>
      <Card title="Layers">
        <ul class="switches">
          {layers.map(({ isOn, name }) => (
            <li key={name}>
              <span>{nameSwitch(name)}</span>
              <Chip tone={isOn ? "good" : "plain"}>{isOn ? "on" : "off"}</Chip>
            </li>
          ))}
        </ul>
        <p class="fine">
          {formatCount(results.files)} {results.files === 1 ? "tool result" : "tool results"} on disk,{" "}
          {formatCount(results.bytes / 1_000_000)} MB
          {background &&
            `; ${formatCount(background.callsLeft)} background calls and ${formatTokens(background.tokensLeft)} tokens left today`}
        </p>
      </Card>
    </div>
  );
}

/** "microCompact" → "micro compact". */
const nameSwitch = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
