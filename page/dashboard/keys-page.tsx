import { useState } from 'preact/hooks';
import type { RootKey, RotatedKey } from '../../client/client.ts';
import { Code } from '../inline.tsx';
import { Button } from './button.tsx';
import { CallDialog } from './call-dialog.tsx';
import { mayDo, useDashboard } from './context.ts';
import { NewKey } from './keys-new.tsx';
import { mayGive } from './keys-presets.ts';
import { listAll } from './list-all.ts';
import { useLoad } from './load.ts';
import { Badge, ListPage, Table } from './parts.tsx';
import { hrefOf, Link } from './route.tsx';
import { RotateDialog, SecretOnce } from './secret-parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';

const REFRESH_MS = 15_000;

type Asked = { kind: 'new' } | { kind: 'rotate' | 'revoke'; key: RootKey };

/** The root keys of the workspace. */
export function KeysPage() {
  const { client, person } = useDashboard();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null);
  const keys = useLoad('keys', (signal) => listAll(client.keys.listKeys, {}, signal), { everyMs: REFRESH_MS });
  const onClose = () => setAsked(null);
  const show = (name: string, secret: string) => {
    setMade({ name, secret });
    keys.reload();
  };
  const makeButton = mayDo(person, 'key', 'create_key') && (
    <Button kind="main" onClick={() => setAsked({ kind: 'new' })}>
      {TEXT.keys.make}
    </Button>
  );
  const secret = made && (
    <SecretOnce title={TEXT.keys.made(made.name)} secret={made.secret} onSaved={() => setMade(null)} />
  );

  return (
    <>
      <ListPage title={TEXT.pages.keys} texts={TEXT.keys} list={keys} button={makeButton} notice={secret}>
        {(all) => (
          <Table label={TEXT.keys.table} columns={TEXT.keys.columns}>
            {all.map((key) => (
              <KeyRow key={key.id} rootKey={key} onAsk={(kind) => setAsked({ kind, key })} />
            ))}
          </Table>
        )}
      </ListPage>
      {asked?.kind === 'new' && <NewKey onDone={show} onClose={onClose} />}
      {asked?.kind === 'rotate' && (
        <RotateDialog<RotatedKey>
          title={TEXT.keys.rotateTitle(nameOf(asked.key))}
          text={TEXT.keys.rotateText}
          label={TEXT.keys.rotate}
          call={{
            operation: 'keys.rotateKey',
            input: { keyId: asked.key.id },
            command: ['keys', 'rotate', asked.key.id],
          }}
          onDone={({ key }) => show(nameOf(asked.key), key)}
          onClose={onClose}
        />
      )}
      {asked?.kind === 'revoke' && (
        <CallDialog
          title={TEXT.keys.revokeTitle(nameOf(asked.key))}
          text={TEXT.keys.revokeText}
          label={TEXT.keys.revoke}
          kind="danger"
          call={{
            operation: 'keys.revokeKey',
            input: { keyId: asked.key.id },
            command: ['keys', 'revoke', asked.key.id],
          }}
          done={() => TEXT.keys.revoked(nameOf(asked.key))}
          onDone={keys.reload}
          onClose={onClose}
        />
      )}
    </>
  );
}

const nameOf = ({ name }: RootKey) => name || TEXT.keys.unnamed;

function KeyRow({ rootKey, onAsk }: { rootKey: RootKey; onAsk: (kind: 'rotate' | 'revoke') => void }) {
  const { person } = useDashboard();
  const { id, start, permissions, lastUsedAt, expiresAt, disabledAt, replacedBy } = rootKey;
  const mayRotate =
    mayDo(person, 'key', 'rotate_key') &&
    replacedBy === undefined &&
    disabledAt === undefined &&
    mayGive(person.permissions, permissions);
  return (
    <tr>
      <th scope="row">
        <bdi>{nameOf(rootKey)}</bdi> {disabledAt !== undefined && <Badge tone="warn">{TEXT.keys.disabled}</Badge>}
        {replacedBy !== undefined && <Badge tone="quiet">{TEXT.keys.rotated}</Badge>}
      </th>
      <td>
        <Code text={`${start}…`} />
      </td>
      <td>
        <details>
          <summary>{TEXT.keys.permissions(permissions.length)}</summary>
          <ul class="codes">
            {permissions.map((permission) => (
              <li key={permission}>
                <code>{permission}</code>
              </li>
            ))}
          </ul>
        </details>
      </td>
      <td>{lastUsedAt === undefined ? TEXT.keys.neverUsed : <Ago at={lastUsedAt} />}</td>
      <td>{expiresAt === undefined ? TEXT.keys.never : <Ago at={expiresAt} />}</td>
      <td>
        <div class="actions">
          {mayRotate && (
            <Button isSmall onClick={() => onAsk('rotate')}>
              {TEXT.keys.rotate} <span class="sr">{nameOf(rootKey)}</span>
            </Button>
          )}
          {mayDo(person, 'key', 'revoke_key') && (
            <Button kind="danger" isSmall onClick={() => onAsk('revoke')}>
              {TEXT.keys.revoke} <span class="sr">{nameOf(rootKey)}</span>
            </Button>
          )}
          {mayDo(person, 'audit', 'read_entries') && (
            <Link href={hrefOf(['audit'], { target: id })}>{TEXT.keys.audit}</Link>
          )}
        </div>
      </td>
    </tr>
  );
}
