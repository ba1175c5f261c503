import type { UsageInTime } from '../../client/client.ts';
import { mayDo, useDashboard } from './context.ts';
import { bytes, daily, sumOf } from './domain-facts.ts';
import { inLanguage, number } from './figures.ts';
import { type Loaded, useLoad } from './load.ts';
import { LoadState } from './load-failed.tsx';
import { Card } from './parts.tsx';
import { TEXT } from './text.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const REFRESH_MS = 60_000;
const dayFormat = inLanguage((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }));

/** The last 30 days of a domain; null for somebody who may not read them. */
export function useUsage(domain: string): Loaded<UsageInTime[] | null> {
  const { client, person } = useDashboard();
  const load = async (signal: AbortSignal) => {
    if (!mayDo(person, 'environment', 'read_usage')) return null;
    return (await client.usage.getUsage({ domain, from: startOf(Date.now()), resolution: 'day' }, { signal })).usage;
  };
  return useLoad(domain, load, { everyMs: REFRESH_MS });
}

/** Reports how many of today's requests failed, at the origin or at the edge. */
export function FailedToday({ usage }: { usage: UsageInTime[] | null | undefined }) {
  const [today] = daily(usage ?? [], Date.now(), 1);
  if (today === undefined) return null;
  const { requests, originErrors, edgeErrors } = today;
  return (
    <>
      {originErrors > 0 && <p class="problem">{TEXT.domain.usage.originFails(originErrors, requests)}</p>}
      {edgeErrors > 0 && <p class="problem">{TEXT.domain.usage.edgeFails(edgeErrors, requests)}</p>}
    </>
  );
}

/** The requests that the edge served, with the errors of the origin apart from its own. */
export function UsageCard(usage: Loaded<UsageInTime[] | null>) {
  const { data } = usage;
  if (data === null) return null;
  const sums = sumOf(data ?? []);
  const days = daily(data ?? [], Date.now(), DAYS);
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  return (
    <Card title={TEXT.domain.usage.title}>
      <LoadState {...usage} />
      {data && sums.requests === 0 && <p class="note">{TEXT.domain.usage.none}</p>}
      {sums.requests > 0 && (
        <>
          <dl class="sums">
            {(['requests', 'bytesOut', 'bytesIn', 'originErrors', 'edgeErrors'] as const).map((name) => (
              <div key={name} class={name.endsWith('Errors') && sums[name] > 0 ? 'bad' : undefined}>
                <dt>{TEXT.domain.usage[name]}</dt>
                <dd>{name.startsWith('bytes') ? bytes(sums[name]) : number(sums[name])}</dd>
              </div>
            ))}
          </dl>
          <ol class="days" aria-label={TEXT.domain.usage.perDay}>
            {days.map(({ at, requests, originErrors, edgeErrors }) => {
              const errors = originErrors + edgeErrors;
              const { colon, comma } = TEXT.signs;
              const said = `${dayFormat().format(at)}${colon}${number(requests)}${comma}5xx ${number(errors)}`;
              return (
                <li key={at} title={said}>
                  <i class="served" style={{ height: `${(requests / most) * 100}%` }}>
                    {errors > 0 && <i class="errors" style={{ height: `${(errors / requests) * 100}%` }} />}
                  </i>
                  <span class="sr">{said}</span>
                </li>
              );
            })}
          </ol>
        </>
      )}
    </Card>
  );
}

function startOf(now: number): number {
  return now - (now % DAY_MS) - (DAYS - 1) * DAY_MS;
}
