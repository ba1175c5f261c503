import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { CallDialog } from './call-dialog.tsx';
import { mayDo, useDashboard } from './context.ts';
import { SelectField, TextField, Ticks } from './fields.tsx';
import { listAll } from './list-all.ts';
import { useLoad } from './load.ts';
import { ListPage, Table } from './parts.tsx';
import { hrefOf, Link } from './route.tsx';
import { SecretOnce } from './secret-parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { WebhookState } from './webhooks-parts.tsx';

const REFRESH_MS = 15_000;

/** The webhooks of the workspace. */
export function WebhooksPage() {
  const { client, person } = useDashboard();
  const [isAsked, setAsked] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const webhooks = useLoad('webhooks', (signal) => listAll(client.webhooks.listWebhooks, {}, signal), {
    everyMs: REFRESH_MS,
  });
  const createButton = mayDo(person, 'webhook', 'create_webhook') && (
    <Button kind="main" onClick={() => setAsked(true)}>
      {TEXT.webhooks.create}
    </Button>
  );
  const made = secret !== null && (
    <SecretOnce title={TEXT.webhooks.secretOf} secret={secret} onSaved={() => setSecret(null)} />
  );
  return (
    <>
      <ListPage title={TEXT.pages.webhooks} texts={TEXT.webhooks} list={webhooks} button={createButton} notice={made}>
        {(all) => (
          <Table label={TEXT.webhooks.table} columns={TEXT.webhooks.columns}>
            {all.map((webhook) => (
              <tr key={webhook.id}>
                <th scope="row">
                  <Link href={hrefOf(['webhooks', webhook.id])}>
                    <bdi>{webhook.url}</bdi>
                  </Link>
                </th>
                <td>{webhook.types.includes('*') ? TEXT.webhooks.all : webhook.types.join(TEXT.signs.comma)}</td>
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
      </ListPage>
      {isAsked && (
        <NewWebhook
          onDone={(made) => {
            setSecret(made);
            webhooks.reload();
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
  return (
    <CallDialog<{ secret: string }>
      title={TEXT.webhooks.create}
      call={{
        operation: 'webhooks.createWebhook',
        input: { url, types },
        command: ['webhooks', 'create', url, ...types.flatMap((type) => (type === '*' ? [] : ['--type', type]))],
      }}
      onDone={({ secret }) => onDone(secret)}
      onClose={onClose}
    >
      <TextField
        label={TEXT.webhooks.url}
        hint={TEXT.webhooks.urlHint}
        type="url"
        required
        value={url}
        onChange={(typed) => setUrl(typed.trim())}
      />
      <SelectField
        label={TEXT.webhooks.types}
        options={[
          ['all', TEXT.webhooks.allTypes],
          ['some', TEXT.webhooks.someTypes],
        ]}
        value={isAll ? 'all' : 'some'}
        onChange={(value) => setAll(value === 'all')}
      />
      {!isAll && (
        <Ticks
          legend={TEXT.webhooks.types}
          values={Object.keys(TEXT.domain.events)}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </CallDialog>
  );
}
