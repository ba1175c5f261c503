import { useState } from 'preact/hooks';
import type { SetupLink } from '../../client/client.ts';
import { CopyButton } from '../copy-button.tsx';
import { Code } from '../inline.tsx';
import { ActionButton } from './action-button.tsx';
import { mayDo, useDashboard } from './context.ts';
import { ActionDialog } from './domain-dialog.tsx';
import { useLoad } from './load.ts';
import { LoadFailed } from './load-failed.tsx';
import { Badge, Card, Field, Table } from './parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { useToast } from './toast.tsx';

type Purpose = 'setup' | 'support';

/** The links that open this domain without an account. */
export function LinksCard({ domain, name }: { domain: string; name: string }) {
  const { person } = useDashboard();
  return mayDo(person, 'environment', 'create_setup_link') ? <Links domain={domain} name={name} /> : null;
}

function Links({ domain, name }: { domain: string; name: string }) {
  const { client } = useDashboard();
  const [making, setMaking] = useState<Purpose | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const { data, error, reload } = useLoad(domain, (signal) => client.domains.listSetupLinks({ domain }, { signal }));
  const button = (purpose: Purpose) => (
    <button type="button" class="button quiet small" onClick={() => setMaking(purpose)}>
      {TEXT.domain.links[purpose]}
    </button>
  );
  return (
    <Card title={TEXT.domain.links.title} actions={[button('setup'), button('support')]}>
      {error !== undefined && <LoadFailed error={error} onRetry={reload} />}
      {made !== null && (
        <div class="made">
          <p>{TEXT.domain.links.once}</p>
          <p class="bar">
            <Code text={made} />
            <CopyButton text={made} what={TEXT.domain.links.copyWhat} />
          </p>
        </div>
      )}
      {data?.items.length === 0 && <p class="note">{TEXT.domain.links.none}</p>}
      {data && data.items.length > 0 && (
        <Table label={TEXT.domain.links.list} columns={TEXT.domain.links.columns}>
          {data.items.toReversed().map((link) => (
            <Row key={link.id} link={link} onChange={reload} />
          ))}
        </Table>
      )}
      {making !== null && (
        <MakeLink
          domain={domain}
          name={name}
          purpose={making}
          onClose={() => setMaking(null)}
          onMade={(url) => {
            setMade(url);
            reload();
          }}
        />
      )}
    </Card>
  );
}

function Row({ link, onChange }: { link: SetupLink; onChange: () => void }) {
  const { client } = useDashboard();
  const toast = useToast();
  const { id: linkId, purpose, createdAt, createdBy, expiresAt, revokedAt } = link;
  const works = revokedAt === undefined && expiresAt > Date.now();
  const revoke = async () => {
    await client.domains.revokeSetupLink({ linkId });
    toast({ text: TEXT.domain.links.revokedNow });
    onChange();
  };
  return (
    <tr>
      <th scope="row">{TEXT.domain.links.purposes[purpose as Purpose] ?? purpose}</th>
      <td>
        <Badge tone={works ? 'good' : 'quiet'}>
          {works
            ? TEXT.domain.links.works
            : revokedAt === undefined
              ? TEXT.domain.links.expired
              : TEXT.domain.links.revoked}
        </Badge>{' '}
        <Ago at={revokedAt ?? expiresAt} />
      </td>
      <td>
        <Ago at={createdAt} /> {createdBy !== undefined && <bdi>{createdBy}</bdi>}
      </td>
      <td>
        {works && (
          <ActionButton kind="quiet" isSmall run={revoke}>
            {TEXT.domain.links.revoke}
          </ActionButton>
        )}
      </td>
    </tr>
  );
}

interface MakeLinkProps {
  domain: string;
  name: string;
  purpose: Purpose;
  onClose(): void;
  onMade(url: string): void;
}

function MakeLink({ domain, name, purpose, onClose, onMade }: MakeLinkProps) {
  const { client } = useDashboard();
  const [life, setLife] = useState(purpose === 'support' ? 86_400 : 604_800);
  const isSupport = purpose === 'support';
  const input = { domain, ...(isSupport && { purpose }), expiresInSeconds: life };
  const expires = life < 86_400 ? `${life / 3600}h` : `${life / 86_400}d`;
  return (
    <ActionDialog
      title={isSupport ? TEXT.domain.links.supportTitle : TEXT.domain.links.setupTitle}
      text={isSupport ? TEXT.domain.links.supportText : TEXT.domain.links.setupText}
      label={TEXT.domain.links.do}
      operation="domains.createSetupLink"
      input={input}
      command={['domains', 'setup-link', name, ...(isSupport ? ['--support'] : []), '--expires', expires]}
      onClose={onClose}
      run={async () => onMade((await client.domains.createSetupLink(input)).url)}
    >
      <Field label={TEXT.domain.links.life}>
        {(control) => (
          <select {...control} value={life} onChange={({ currentTarget }) => setLife(Number(currentTarget.value))}>
            {Object.entries(TEXT.domain.links.lives).map(([seconds, label]) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
    </ActionDialog>
  );
}
