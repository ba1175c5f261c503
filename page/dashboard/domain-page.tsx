import { NameplateError } from '../../client/client.ts';
import { Code, Name } from '../inline.tsx';
import { useDashboard } from './context.ts';
import { useLoad } from './load.ts';
import { LoadFailed } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { siteState } from './site-state.ts';
import { TEXT } from './text.ts';

const REFRESH_MS = 5_000;

/** One name: what visitors get, what it needs, and what can be done. */
export function DomainPage({ id }: { id: string }) {
  const { client } = useDashboard();
  const { data, error, reload } = useLoad(id, (signal) => client.domains.getSite({ domain: id }, { signal }), {
    everyMs: REFRESH_MS,
  });
  usePageTitle(data?.domain.domain ?? TEXT.pages.domains);
  if (error instanceof NameplateError && error.status === 404) return <p class="empty">{TEXT.domain.missing}</p>;
  if (data === undefined)
    return error === undefined ? <p aria-busy="true">{TEXT.loading}</p> : <LoadFailed error={error} onRetry={reload} />;
  const { word, problem } = siteState(data);
  return (
    <>
      <h1>
        <Name name={data.domain.domain} />
      </h1>
      <p>
        <span class={`word ${word}`}>{TEXT.words[word]}</span>
      </p>
      {problem !== null && <p class="problem">{problem}</p>}
      <table>
        <tbody>
          {data.domain.dnsRecords.map(({ type, name, value, verified }) => (
            <tr key={type}>
              <th scope="row">{type}</th>
              <td>
                <Code text={name} />
              </td>
              <td>
                <Code text={value} />
              </td>
              <td>{verified ? TEXT.domain.found : TEXT.domain.notFound}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
