/** The project at a glance: savings, sessions at work, memories, layers, problems. */
import { formatCount, formatCounted, formatPercent, formatTokens } from "../../base/format.js";
import { formatSaving, formatWorth, isGain } from "../../status/format-figures.js";
import type { Overview, SessionRow } from "../answers.js";
import { areDollars, DaysChart } from "./charts.js";
import { formatRoute, useAnswer, useNow, useTodos } from "./hooks.js";
import { Card, Chip, Counts, Empty, Figure, List, Loaded, View } from "./parts.js";
import { Removed, SessionLink } from "./sessions.js";

/** A session counts as current for this long after its last use. */
const CURRENT_MS = 3_600_000;
const MOST_CURRENT = 4;

export function OverviewView() {
  const overview = useAnswer<Overview>("overview");
  const sessions = useAnswer<readonly SessionRow[]>("sessions");
  return (
    <>
      <View title="Overview" answer={overview}>
        {(value) => (
          <>
            <Saved overview={value} />
            {value.problems.length > 0 && (
              <Card title="Problems" class="warning">
                <List rows={value.problems} class="plain">
                  {(problem) => problem}
                </List>
              </Card>
            )}
          </>
        )}
      </View>
      <Loaded answer={sessions}>{(rows) => <Current rows={rows} />}</Loaded>
      {overview.value && <Rest overview={overview.value} />}
    </>
  );
}

function Saved({ overview }: { overview: Overview }) {
  const { saved, savings } = overview;
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
        <Removed totals={savings} />
        <Figure label="Requests" value={formatCount(savings.requests)} />
      </dl>
    </section>
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
      <List
        rows={shown}
        keyOf={({ id }) => id}
        empty="No sessions yet. They appear here when you work in OpenCode."
      >
        {(row) => <SessionLink row={row} />}
      </List>
    </Card>
  );
}

function Rest({ overview }: { overview: Overview }) {
  const { background, blockers, days, layers, memories, results } = overview;
  const waiting = useTodos().value?.todos.length ?? 0;
  const count = Object.values(memories).reduce((sum, one) => sum + one, 0);
  const types = Object.entries(memories).sort(([, a], [, b]) => b - a);
  return (
    <div class="columns">
      <Card title={`Savings per day, in ${areDollars(days) ? "dollars" : "input tokens"}`} class="wide">
        {days.every(({ saved }) => saved.tokens === 0) ? (
          <Empty>No savings yet.</Empty>
        ) : (
          <DaysChart days={days} />
        )}
      </Card>
      <Card
        title={formatCounted(count, "memory", "memories")}
        more={<a href={formatRoute("memories")}>All</a>}
      >
        <Counts rows={types} format={formatCount} />
        {waiting > 0 && (
          <p class="fine">
            <a href={formatRoute("waiting")}>
              {formatCounted(waiting, "thing waits", "things wait")} for you
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
        <List rows={Object.entries(layers)} class="switches" keyOf={([name]) => name}>
          {([name, isOn]) => (
            <>
              <span>{nameSwitch(name)}</span>
              <Chip tone={isOn ? "good" : "plain"}>{isOn ? "on" : "off"}</Chip>
            </>
          )}
        </List>
        <p class="fine">
          {formatCounted(results.files, "tool result")} on disk, {formatCount(results.bytes / 1_000_000)} MB
          {background &&
            `; ${formatCount(background.callsLeft)} background calls and ${formatTokens(background.tokensLeft)} tokens left today`}
        </p>
      </Card>
    </div>
  );
}

/** "microCompact" → "micro compact". */
const nameSwitch = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
