import { useState } from 'preact/hooks';
import { CallDialog } from './call-dialog.tsx';
import { mayDo, useDashboard } from './context.ts';
import { listAll } from './list-all.ts';
import { useLoad } from './load.ts';
import { LoadFailed } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { EmptyState, Field, Table } from './parts.tsx';
import { hrefOf, Link } from './route.tsx';
import { SecretOnce } from './secret-parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { WebhookState } from './webhooks-parts.tsx';
import { EVENT_TYPES } from './webhooks-types.ts';

const REFRESH_MS = 15_000;

/** The webhooks of the workspace. */
export function WebhooksPage() {
  const { client, person } = useDashboard();
  const [isAsked, setAsked] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  usePageTitle(TEXT.pages.webhooks);
  const { data, error, reload } = useLoad('webhooks', (signal) => listAll(client.webhooks.listWebhooks, {}, signal), {
    everyMs: REFRESH_MS,
  });
  const createButton = mayDo(person, 'webhook', 'create_webhook') && (
    <button type="button" class="button" onClick={() => setAsked(true)}>
      {TEXT.webhooks.create}
    </button>
  );
  return (
    <>
      <header class="bar">
        <h1>{TEXT.pages.webhooks}</h1>
        {data !== undefined && data.length > 0 && createButton}
      </header>
      <p class="note">{TEXT.webhooks.about}</p>
      {secret !== null && <SecretOnce title={TEXT.webhooks.secretOf} secret={secret} onSaved={() => setSecret(null)} />}
      {error !== undefined && <LoadFailed error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <p aria-busy="true">{TEXT.loading}</p>}
      {data?.length === 0 && (
        <EmptyState title={TEXT.webhooks.none} text={TEXT.webhooks.noneText}>
          {createButton}
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <Table label={TEXT.webhooks.table} columns={TEXT.webhooks.columns}>
          {data.map((webhook) => (
            <tr key={webhook.id}>
              <th scope="row">
                <Link href={hrefOf(['webhooks', webhook.id])}>
                  <bdi>{webhook.url}</bdi>
                </Link>
              </th>
              <td>{webhook.types.includes('*') ? TEXT.webhooks.all : webhook.types.join(', ')}</td>
              <td>
                <WebhookState webhook={webhook} />
              </td>
              <td>
                <Ago at={webhook.createdAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {isAsked && (
        <NewWebhook
          onDone={(made) => {
            setAsked(false);
            setSecret(made);
            reload();
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

function NewWebhook({ onDone, onClose }: { onDone: (secret: string) => void; onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [isAll, setAll] = useState(true);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const types = isAll ? ['*'] : chosen;
  const toggle = (type: string, isOn: boolean) =>
    setChosen((before) => (isOn ? [...before, type] : before.filter((each) => each !== type)));
  return (
    <CallDialog<{ secret: string }>
      title={TEXT.webhooks.create}
      label={TEXT.webhooks.create}
      call={{
        operation: 'webhooks.createWebhook',
        input: { url, types },
        command: ['webhooks', 'create', url, ...types.flatMap((type) => (type === '*' ? [] : ['--type', type]))],
      }}
      onDone={({ secret }) => onDone(secret)}
      onClose={onClose}
    >
      <Field label={TEXT.webhooks.url} hint={TEXT.webhooks.urlHint}>
        {(control) => (
          <input
            {...control}
            type="url"
            required
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value.trim())}
          />
        )}
      </Field>
      <Field label={TEXT.webhooks.types}>
        {(control) => (
          <select
            {...control}
            value={isAll ? 'all' : 'some'}
            onChange={({ currentTarget }) => setAll(currentTarget.value === 'all')}
          >
            <option value="all">{TEXT.webhooks.allTypes}</option>
            <option value="some">{TEXT.webhooks.someTypes}</option>
          </select>
        )}
      </Field>
      {!isAll && (
        <fieldset class="choices">
          <legend>{TEXT.webhooks.types}</legend>
          {EVENT_TYPES.map((type) => (
            <label key={type}>
              <input
                type="checkbox"
                checked={chosen.includes(type)}
                onChange={({ currentTarget }) => toggle(type, currentTarget.checked)}
              />
              <code>{type}</code>
            </label>
          ))}
        </fieldset>
      )}
    </CallDialog>
  );
}
