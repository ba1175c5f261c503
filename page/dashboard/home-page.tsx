import { useDashboard } from './context.ts';
import { useLoad } from './load.ts';
import { LoadFailed } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { TEXT } from './text.ts';

const REFRESH_MS = 15_000;

/** The names that need somebody, and the state of all. */
export function HomePage() {
  const { client } = useDashboard();
  usePageTitle(TEXT.pages.home);
  const { data, error, reload } = useLoad('counts', (signal) => client.domains.countDomains({}, { signal }), {
    everyMs: REFRESH_MS,
  });
  return (
    <>
      <h1>{TEXT.pages.home}</h1>
      {error !== undefined && <LoadFailed error={error} onRetry={reload} />}
      {data && (
        <dl class="counts">
          {Object.entries(data.byStatus).map(([status, count]) => (
            <div key={status}>
              <dt>{TEXT.statuses[status as keyof typeof data.byStatus]}</dt>
              <dd>{count.toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
