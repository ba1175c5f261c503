import { mayDo, useDashboard } from './context.ts';
import { bytes, daily, sumOf } from './domain-facts.ts';
import { DOMAIN_TEXT } from './domain-text.ts';
import { useLoad } from './load.ts';
import { LoadFailed } from './load-failed.tsx';
import { Card } from './parts.tsx';

const DAYS = 30;
const DAY_MS = 86_400_000;
const REFRESH_MS = 60_000;
const { usage: TEXTS } = DOMAIN_TEXT;
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** The requests that the edge served, with the errors of the origin apart from its own. */
export function UsageCard({ domain }: { domain: string }) {
  const { person } = useDashboard();
  return mayDo(person, 'environment', 'read_usage') ? <Usage domain={domain} /> : null;
}

function Usage({ domain }: { domain: string }) {
  const { client } = useDashboard();
  const { data, error, reload } = useLoad(
    domain,
    (signal) => client.usage.getUsage({ domain, from: startOf(Date.now()), resolution: 'day' }, { signal }),
    { everyMs: REFRESH_MS },
  );
  const sums = sumOf(data?.usage ?? []);
  const days = daily(data?.usage ?? [], Date.now(), DAYS);
  const most = Math.max(1, ...days.map(({ requests }) => requests));
  return (
    <Card title={TEXTS.title}>
      {error !== undefined && <LoadFailed error={error} onRetry={reload} />}
      {data && sums.requests === 0 && <p class="note">{TEXTS.none}</p>}
      {sums.requests > 0 && (
        <>
          <dl class="sums">
            {(['requests', 'bytesOut', 'bytesIn', 'originErrors', 'edgeErrors'] as const).map((name) => (
              <div key={name} class={name.endsWith('Errors') && sums[name] > 0 ? 'bad' : undefined}>
                <dt>{TEXTS[name]}</dt>
                <dd>{name.startsWith('bytes') ? bytes(sums[name]) : sums[name].toLocaleString('en')}</dd>
              </div>
            ))}
          </dl>
          <ol class="days" aria-label={TEXTS.perDay}>
            {days.map(({ at, requests, originErrors, edgeErrors }) => {
              const errors = originErrors + edgeErrors;
              const said = `${day.format(at)}: ${requests.toLocaleString('en')}, 5xx ${errors.toLocaleString('en')}`;
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
